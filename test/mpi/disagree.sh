#!/bin/bash
# Processes that would not make the same run, or of which one cannot: one
# message, before any work, that says which ranks, and what.
# usage: disagree.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
model=test/models/training/mlp_sgd
inputs_of "$model"
"$smexc" "$file" --train --optimizer sgd --gpus 4 --cuda-arch none -o "$work/plan"
"$smexc" "$file" --train --optimizer sgd --lr 0.5 --gpus 4 --cuda-arch none -o "$work/other"
given=("$work/plan" "${inputs[@]}" --steps 2)
"$smex_run" "${given[@]}" --save-parameters "$work/first" --checkpoint-dir "$work/one" > /dev/null
cp "$work/first" "$work/second"
printf x | dd of="$work/second" bs=1 seek=$(($(stat -c %s "$work/second") - 2)) conv=notrunc status=none

# check STATUS MESSAGE MPIRUN_ARGUMENT...: what follows mpirun.
check() {
  local status=0
  timeout 120 mpirun "${@:3}" > "$work/log" 2> "$work/err" || status=$?
  errors "$work/err" > "$work/said"
  echo "status $status: $(cat "$work/said")"
  [[ $status == "$1" ]] || fail "status $status, $1 expected: $(cat "$work/err")"
  [[ $(wc -l < "$work/said") == 1 ]] || fail "$(wc -l < "$work/said") messages"
  grep -qF -- "$2" "$work/said" || fail "does not say: $2"
  [[ ! -s $work/log ]] || fail "it worked: $(cat "$work/log")"
}
# Two sorts of processes: all ranks but the last, and the last.
both() { # N STATUS MESSAGE OPTION... -- OPTION...
  local last=$1 some=()
  shift
  check "$1" "$2" -n $((last - 1)) "$smex_run" $(
    shift 2
    while [[ $1 != -- ]]; do
      printf '%s ' "$1"
      shift
    done
  ) : -n 1 "$smex_run" $(
    while [[ $1 != -- ]]; do shift; done
    shift
    printf '%s ' "$@"
  )
}

both 4 1 'the processes would not make the same run: rank 3 and rank 0 differ in the plan (' \
  "${given[@]}" -- "$work/other" "${inputs[@]}" --steps 2
both 3 1 'rank 2 and rank 0 differ in --seed (7 and 0)' "${given[@]}" -- "${given[@]}" --seed 7
# Inputs that are not given are drawn by it.
both 2 1 'rank 1 and rank 0 differ in --seed (7 and 0)' "$work/plan" --steps 2 -- "$work/plan" --steps 2 --seed 7
both 2 1 'rank 1 and rank 0 differ in --steps (3 and 2)' "${given[@]}" -- \
  "$work/plan" "${inputs[@]}" --steps 3
both 2 1 'rank 1 and rank 0 differ in input "' "${given[@]}" -- "$work/plan" --steps 2
both 2 1 'rank 1 and rank 0 differ in --parameters (' \
  "${given[@]}" --parameters "$work/first" -- "${given[@]}" --parameters "$work/second"
for option in --verify "--metrics $work/third" "--output-dir $work/third"; do
  both 2 1 "rank 1 and rank 0 differ in ${option%% *} (given and nothing)" \
    "${given[@]}" -- "${given[@]}" $option
done
both 3 2 'rank 2 has come to its end, and others have not: give all processes the same options' \
  "${given[@]}" -- "${given[@]}" --help
both 2 1 'rank 1 and rank 0 differ in --save-parameters (given and nothing)' \
  "${given[@]}" -- "${given[@]}" --save-parameters "$work/third"
check 1 'SMEX_MPI_TIMEOUT=x: give a number of seconds' -n 3 env SMEX_MPI_TIMEOUT=x "$smex_run" "${given[@]}"
[[ ! -e $work/third ]] || fail "something was written"
both 2 1 'rank 1 and rank 0 differ in --reproducible (given and nothing)' \
  "${given[@]}" -- "${given[@]}" --reproducible
both 3 1 'rank 2 and rank 0 differ in --backend (reference and cpu)' \
  "${given[@]}" --backend cpu -- "${given[@]}" --backend reference
# Graphs that are given when a plan runs: of one size, but for one edge that
# leads elsewhere; and one that is not given at all.
"$zoo" gcn --layers 1 --features 3 --hidden 2 --classes 2 -o "$work/gcn.json" > "$work/log"
"$smexc" "$work/gcn.json" --dim nodes=8 --dim edges=9 --gpus 4 --cuda-arch none -o "$work/graphs"
printf '0 1\n2 1\n3 0\n' > "$work/first.txt"
printf '0 1\n2 1\n3 2\n' > "$work/second.txt"
both 3 1 'rank 2 and rank 0 differ in --graph (' \
  "$work/graphs" --graph "$work/first.txt" -- "$work/graphs" --graph "$work/second.txt"
both 2 1 'rank 1 and rank 0 differ in --graph (nothing and ' "$work/graphs" --graph "$work/first.txt" -- "$work/graphs"
# Another version of the program, which may know other options.
sed 's/smex 0\.1/smex 0.2/g' "$smex_run" > "$work/newer"
chmod +x "$work/newer"
[[ $("$work/newer" --version) == "smex 0.2."* ]] || fail "the version cannot be changed: $("$work/newer" --version)"
check 1 'rank 1 and rank 0 differ in the version of smex-run (smex 0.2.' \
  -n 1 "$smex_run" "${given[@]}" : -n 1 "$work/newer" "${given[@]}" --newer
both 3 1 "rank 2: $work/none" "${given[@]}" -- "$work/none"
both 3 1 "ranks 0, 1: $work/none" "$work/none" -- "${given[@]}"
check 1 "smex-run: error: $work/none" -n 4 "$smex_run" "$work/none"
check 2 'mpirun -n 4 at most, not 5' -n 5 "$smex_run" "${given[@]}"
check 2 '--no-such-flag' -n 4 "$smex_run" "${given[@]}" --no-such-flag
check 1 'checkpoint.safetensors: is there already: go on from it with --resume' \
  -n 4 "$smex_run" "${given[@]}" --checkpoint-dir "$work/one"
check 1 "is a checkpoint of a run with --seed 0, not 3" \
  -n 4 "$smex_run" "${given[@]}" --checkpoint-dir "$work/one" --resume --seed 3
# Of the first process, what it alone does.
check 4 '/proc/none: cannot create' -n 2 "$smex_run" "${given[@]}" --output-dir /proc/none

# While they work: once, with the status of one process.
"$smexc" "$file" --train --optimizer sgd --lr 1e30 --gpus 4 --cuda-arch none -o "$work/diverges"
status=0
together 4 "$smex_run" "$work/diverges" "${inputs[@]}" --steps 6 --output-dir "$work/never" \
  > "$work/log" 2> "$work/err" || status=$?
errors "$work/err" > "$work/said"
"$smex_run" "$work/diverges" "${inputs[@]}" --steps 6 2> "$work/alone" > /dev/null && fail "it does not diverge"
diff "$work/alone" "$work/said" || fail "another message than in one process"
[[ $status == 1 ]] || fail "status $status"
[[ ! -e $work/never && ! -s $work/log ]] || fail "something was written"
status=0
together 4 "$smex_run" "${given[@]}" --save-parameters /dev/full > "$work/log" 2> "$work/err" || status=$?
errors "$work/err" > "$work/said"
[[ $status == 4 && $(wc -l < "$work/said") == 1 ]] || fail "a full disk: status $status: $(cat "$work/err")"
grep -q "/dev/full" "$work/said" || fail "does not name the file: $(cat "$work/said")"

# Help, and processes that are none of Open MPI's.
[[ $(together 3 "$smex_run" --version | wc -l) == 1 ]] || fail "--version is not said once"
status=0
PMI_SIZE=4 PMI_RANK=1 "$smex_run" "${given[@]}" 2> "$work/err" || status=$?
[[ $status == 4 ]] && grep -q "Open MPI's mpirun" "$work/err" || fail "another MPI: $(cat "$work/err")"
# One process needs no MPI.
together 1 "$smex_run" "${given[@]}" > /dev/null
echo "all is said"
