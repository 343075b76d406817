#!/bin/bash
# Placements of whole operators: trained, each is one GPU's run to the bit, in as much memory and with as many bytes as
# predicted; on groups of GPUs within which tensors are cut; within a limit; from a profile; compared.
# usage: placement.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
options=(--cuda-arch none)

"$zoo" rnn --layers 3 --hidden 16 --steps 3 --batch 8 -o "$work/rnn.json"
train=(--train --loss mse --optimizer adagrad --lr 0.05)
losses() { grep '^loss' "$1" || fail "no losses in $1: $(cat "$1")"; }

"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 1 --stats "$work/stats.json" -o "$work/alone"
"$smex_run" "$work/alone" --steps 3 --seed 5 --profile "$work/profile.json" > "$work/run"
losses "$work/run" > "$work/expected"
/usr/bin/python3 - "$work/profile.json" "$work/stats.json" <<'PYTHON' || fail "not a profile of all operators"
import json, sys
profile, stats = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
sys.exit(len(profile["operators"]) != stats["operators"] or not all(s > 0 for s in profile["operators"].values()))
PYTHON

algorithms=$("$smexc" --help | tr '\n' ' ' | sed 's/.*--algorithm TEXT:{\([^}]*\)}.*/\1/' | tr ',' '\n')
placements=(round-robin layer-wise linear-clustering heft contiguous pipeline pardnn window-search)
for algorithm in "${placements[@]}"; do
  grep -qx "$algorithm" <<< "$algorithms" || fail "no algorithm $algorithm"
  for gpus in 2 3 8; do
    plan=$work/$algorithm$gpus
    "$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus "$gpus" --algorithm "$algorithm" -o "$plan"
    "$smexc" check "$plan"
    "$smex_run" "$plan" --steps 3 --seed 5 --verify --metrics "$work/metrics.json" > "$work/run"
    grep -q 'bit-equal' "$work/run" || fail "$algorithm on $gpus GPUs: not to the bit: $(cat "$work/run")"
    losses "$work/run" | cmp - "$work/expected" || fail "$algorithm on $gpus GPUs: other losses"
    /usr/bin/python3 - "$plan/plan.json" "$work/metrics.json" <<'PYTHON' || fail "$algorithm on $gpus GPUs: not as predicted"
import json, sys
totals, metrics = json.load(open(sys.argv[1]))["totals"], json.load(open(sys.argv[2]))
sys.exit(totals["communication_bytes"] != metrics["communication_bytes"] or totals["peak_bytes"] != metrics["peak_bytes"])
PYTHON
  done
done

# Groups of two GPUs: what is placed on one is cut among its GPUs.
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --algorithm heft --groups 2 -o "$work/groups"
"$smexc" check "$work/groups"
"$smex_run" "$work/groups" --steps 3 --seed 5 --verify > "$work/run"
"$smexc" inspect "$work/groups" --tensors 1000 > "$work/listing"
# Halves of tensors on both GPUs of a group, so that these need as much memory; the other group has other ones.
grep -q ', 2 x 1$' "$work/listing" || fail "nothing is cut in two: $(head -40 "$work/listing")"
/usr/bin/python3 - "$work/groups/plan.json" <<'PYTHON' || fail "groups do not hold different operators, cut in two"
import json, sys
a, b, c, d = json.load(open(sys.argv[1]))["totals"]["peak_bytes"]
sys.exit(a != b or c != d or a == c)
PYTHON

# A limit that one GPU's plan does not keep is kept on four.
peak() { /usr/bin/python3 -c "import json; print(max(json.load(open('$1/plan.json'))['totals']['peak_bytes']))"; }
limit=$(($(peak "$work/alone") * 17 / 20))
for algorithm in pardnn heft window-search; do
  "$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --algorithm "$algorithm" --memory-per-gpu "$limit" -o "$work/limited"
  [ "$(peak "$work/limited")" -le "$limit" ] || fail "$algorithm: more than the limit"
  "$smex_run" "$work/limited" --steps 3 --seed 5 > "$work/run"
  losses "$work/run" | cmp - "$work/expected" || fail "$algorithm within a limit: other losses"
done

# On one GPU all orders are as fast: the one that needs least memory is taken.
"$zoo" word-rnn --layers 2 --hidden 16 --steps 6 --vocabulary 200 --batch 8 -o "$work/words.json"
"$smexc" "$work/words.json" --train --no-fuse "${options[@]}" --gpus 1 -o "$work/whole"
"$smexc" "$work/words.json" --train --no-fuse "${options[@]}" --gpus 1 --algorithm pardnn -o "$work/placed"
[ "$(peak "$work/placed")" -le $(($(peak "$work/whole") * 11 / 10)) ] \
  || fail "on one GPU a placement takes $(peak "$work/placed") bytes, a partition $(peak "$work/whole")"

# Down to where no placement is found: each plan keeps its limit, and a limit that a refusal names works, also for groups
# and replicas, which take more than their tasks by what they exchange.
refused=0
for case in 70: 60: 50: 45: 40: 35: 30: 25: "45:--groups 2" "25:--groups 2" "45:--replicas 2" "25:--replicas 2" "25:--replicas 4"; do
  percent=${case%%:*}
  read -ra within <<< "${case#*:}"
  limit=$(($(peak "$work/alone") * percent / 100))
  limited() {
    "$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --algorithm pardnn "${within[@]}" --memory-per-gpu "$1" \
      -o "$work/limited"
  }
  if ! limited "$limit" 2> "$work/error"; then
    refused=$((refused + 1))
    named=$(sed -n 's/.*found to work is \([0-9]*\).*/\1/p; s/.* keeps a limit of \([0-9]*\) bytes.*/\1/p' "$work/error")
    [ -n "$named" ] || fail "no limit is named: $(cat "$work/error")"
    [ "$named" -gt "$limit" ] || fail "$named is named where $limit is refused"
    limit=$named
    limited "$limit" || fail "the limit that was said to work, $limit"
  fi
  [ "$(peak "$work/limited")" -le "$limit" ] || fail "$case: more than the limit of $limit"
done
[ "$refused" -gt 0 ] || fail "no limit was refused: this shows nothing"

# What was measured stands in the place of what a machine says; of another model, it is refused.
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 2 --algorithm heft --profile "$work/profile.json" -o "$work/measured" > "$work/log"
"$smex_run" "$work/measured" --steps 3 --seed 5 > "$work/run"
losses "$work/run" | cmp - "$work/expected" || fail "with a profile: other losses"
"$zoo" mlp --width 8 --layers 2 --batch 4 -o "$work/mlp.json" 2> /dev/null || "$zoo" mlp -o "$work/mlp.json"
if "$smexc" "$work/mlp.json" "${options[@]}" --gpus 2 --algorithm heft --profile "$work/profile.json" -o "$work/other" 2> "$work/error"; then
  fail "a profile of another model"
fi
grep -q "has none of this model's operators" "$work/error" || fail "$(cat "$work/error")"
"$smexc" "$work/mlp.json" "${options[@]}" --gpus 2 --algorithm tofu -o "$work/cut"
if "$smex_run" "$work/cut" --profile "$work/parts.json" 2> "$work/error" || [ -e "$work/parts.json" ]; then
  fail "a profile of parts"
fi
grep -q -- "--profile: .*cut cuts every operator, and parts say nothing of a whole" "$work/error" || fail "$(cat "$work/error")"
! grep -q 'has measured them' "$work/log" || fail "all are measured"
/usr/bin/python3 - "$work/profile.json" "$work/half.json" <<'PYTHON'
import json, sys
profile = json.load(open(sys.argv[1]))
profile["operators"] = {name: 1000 for name in sorted(profile["operators"])[::2]}
json.dump(profile, open(sys.argv[2], "w"))
PYTHON
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 2 --algorithm auto --machine dgx-2 --profile "$work/half.json" \
  --stats "$work/stats.json" -o "$work/measured" > "$work/log"
grep -Eq '^[0-9]+ of [0-9]+ operators as .*half.json has measured them on cpu, the others as dgx-2 says$' "$work/log" \
  || fail "what is not measured is not said: $(cat "$work/log")"
/usr/bin/python3 - "$work/half.json" "$work/stats.json" <<'PYTHON' || fail "steps are predicted without what was measured"
import json, sys
operators, stats = json.load(open(sys.argv[1]))["operators"], json.load(open(sys.argv[2]))
plans = [plan["predicted_step_seconds"] for plan in stats["plans"] if "failure" not in plan]
# Two GPUs, whatever is cut how: no less than half of the thousand seconds of each, and not twice as much as all.
sys.exit(not all(500 * len(operators) * 0.99 < seconds < 2000 * len(operators) for seconds in plans))
PYTHON

# All kinds, compared.
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --machine dgx-2 --algorithm auto --stats "$work/stats.json" \
  -o "$work/auto" > "$work/log"
/usr/bin/python3 - "$work/stats.json" <<'PYTHON' || fail "auto: not the fastest: $(cat "$work/log")"
import json, sys
stats = json.load(open(sys.argv[1]))
seconds = {plan["search"]: plan["predicted_step_seconds"] for plan in stats["plans"] if "failure" not in plan}
print(seconds)
kinds = {"data-parallel", "zero", "window-search", "window-search, on 2 groups", "window-search, in 2 replicas"}
sys.exit(not kinds <= set(seconds) or stats["predicted_step_seconds"] != min(seconds.values()))
PYTHON
"$smex_run" "$work/auto" --steps 3 --seed 5 --verify > "$work/run"

# Where none of these keeps a limit, and another search does, it is that.
"$zoo" rnn --layers 3 --hidden 64 --steps 6 --batch 16 -o "$work/wide.json"
"$smexc" "$work/wide.json" --train --loss mse --optimizer sgd --lr 0.1 "${options[@]}" --gpus 4 --machine dgx-2 \
  --memory-per-gpu 1030000 --algorithm auto -o "$work/auto" > "$work/log" || fail "auto finds no plan within the limit"
[ "$(peak "$work/auto")" -le 1030000 ] || fail "auto: more than the limit"
echo passed
