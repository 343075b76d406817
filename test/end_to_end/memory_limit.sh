#!/bin/bash
# --memory-per-gpu: other searches are tried until a plan keeps it, the one that moves least; compared with what each search gives alone.
# usage: memory_limit.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
fail() {
  echo "FAILED: $*"
  exit 1
}
total() { # PLAN KEY: of totals, the largest
  /usr/bin/python3 -c "import json, sys
value = json.load(open(sys.argv[1] + '/plan.json'))['totals'][sys.argv[2]]
print(max(value) if isinstance(value, list) else value)" "$1" "$2"
}

"$zoo" rnn --layers 1 --hidden 64 --steps 4 --batch 16 -o "$work/rnn.json"
compile() { "$smexc" "$work/rnn.json" --train --loss mse --optimizer adagrad --lr 0.05 --gpus 4 --cuda-arch none "$@"; }

# What each search gives alone.
compile -o "$work/first" > /dev/null
first=$(total "$work/first" peak_bytes)
: > "$work/known"
for algorithm in recursive tofu spartan all-row-greedy icml18 layer-wise; do
  compile --algorithm $algorithm -o "$work/plan" > /dev/null
  echo "$(total "$work/plan" peak_bytes) $(total "$work/plan" communication_bytes) $algorithm" >> "$work/known"
done
sort -n "$work/known" | tee "$work/sorted"
least=$(head -1 "$work/sorted" | cut -d' ' -f1)
[ "$least" -lt "$first" ] || fail "no search takes less than $first bytes: this model shows nothing"

# A limit that the first plan keeps changes nothing.
compile --memory-per-gpu "$first" -o "$work/kept" > "$work/log"
diff -r "$work/first" "$work/kept" || fail "another plan, where the first keeps the limit"

# Every limit between: none of the searches alone is better.
while read -r peak _ _; do
  [ "$peak" -lt "$first" ] || continue
  compile --memory-per-gpu "$peak" -o "$work/less" > "$work/log"
  grep -Eq '^of [0-9]+ plans [0-9]+ keep --memory-per-gpu; least moves that of ' "$work/log" || fail "$(cat "$work/log")"
  [ "$(total "$work/less" peak_bytes)" -le "$peak" ] || fail "more than $peak bytes"
  moved=$(total "$work/less" communication_bytes)
  best=$(awk -v limit="$peak" '$1 <= limit && (best == "" || $2 < best) { best = $2 } END { print best }' "$work/known")
  [ "$moved" -le "$best" ] || fail "moves $moved bytes within $peak, another search $best"
  "$smexc" check "$work/less" > /dev/null
  "$smex_run" "$work/less" --steps 2 --verify > /dev/null || fail "other results within $peak bytes"
done < "$work/sorted"

# Refused, with a limit that works, and is the smallest: one byte less is refused with the same.
status=0
compile --memory-per-gpu 1KiB -o "$work/none" 2> "$work/err" || status=$?
[ $status = 1 ] && [ ! -e "$work/none" ] || fail "status $status: $(cat "$work/err")"
smallest=$(sed -n 's/.* keeps a limit of \([0-9]*\) bytes.*/\1/p' "$work/err")
[ "$smallest" -le "$least" ] || fail "the smallest limit is said to be $smallest, and a plan has $least"
compile --memory-per-gpu "$smallest" -o "$work/smallest" > /dev/null || fail "the limit that was said to work"
status=0
compile --memory-per-gpu $((smallest - 1)) -o "$work/none" 2> "$work/err" || status=$?
[ $status = 1 ] && grep -q "keeps a limit of $smallest bytes" "$work/err" || fail "$(cat "$work/err")"

# A search that was asked for is the only one.
status=0
compile --algorithm recursive --memory-per-gpu "$smallest" -o "$work/none" 2> "$work/err" || status=$?
[ $status = 1 ] && grep -q "the plan of --algorithm recursive for 4 GPUs keeps a limit of $first bytes" "$work/err" ||
  fail "$(cat "$work/err")"
echo passed
