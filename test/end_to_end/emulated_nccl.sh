#!/bin/bash
# One real model on emulated GPUs that do not reach each other's memory: what
# moves between them goes by NCCL (test/emulated/nccl). Outputs have the bits,
# and metrics the bytes, of a run on GPUs that do; with a GPU for each worker,
# and with workers that share two.
# usage: emulated_nccl.sh SMEXC SMEX_RUN LIBCUDA LIBNCCL MODEL_DIR N [OPTION..]
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 libnccl=$4 model=$5 gpus=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
steps=1
[[ " $* " != *" --optimizer "* ]] || steps=2
[[ $steps == 1 ]] || set -- --train "$@"
"$smexc" "$file" "${constants[@]}" "$@" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan"

cuda=$(emulated "$libcuda") nccl=$(cd "$(dirname "$libnccl")" && pwd)
export LD_LIBRARY_PATH=$cuda:$nccl SMEX_EMULATED_LOG=$work/emulated.log SMEX_NCCL_TIMEOUT=60
run() { # OUT PEER DEVICES SEED [OPTION..]
  local out=$1
  SMEX_EMULATED_PEER=$2 SMEX_EMULATED_DEVICES=$3 SMEX_EMULATED_SEED=$4 \
    "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda --steps $steps \
    --output-dir "$work/$out" --metrics "$work/$out.json" "${@:5}" > /dev/null
}
bytes() {
  sed -n 's/.*"communication_bytes": \([0-9]*\).*/\1/p' "$work/$1.json"
}
run reached 1 "$gpus" 1
for devices in "$gpus" 2; do
  for seed in 0 $((10 + devices)); do
    out=by_nccl_${devices}_$seed
    run "$out" 0 "$devices" "$seed" --trace "$work/$out.trace"
    for expected in "$work"/reached/*.npy; do
      cmp "$expected" "$work/$out/$(basename "$expected")" || fail "$out: other bits than with peer access"
    done
    [[ -n $(bytes reached) && $(bytes reached) == "$(bytes "$out")" ]] ||
      fail "$out: $(bytes "$out") bytes are counted, and $(bytes reached) with peer access"
  done
done
# Where GPUs do reach each other's memory, NCCL is taken if it is asked for, on
# one GPU for all workers, too.
for devices in "$gpus" 1; do
  SMEX_EMULATED_COUNTS=$work/counts run "asked_$devices" 1 "$devices" 0 --transfers nccl
  for expected in "$work"/reached/*.npy; do
    cmp "$expected" "$work/asked_$devices/$(basename "$expected")" || fail "--transfers nccl, $devices GPUs: other bits"
  done
  grep -q '^ncclCommInitRank' "$work/counts" || fail "--transfers nccl, $devices GPUs: without NCCL"
done
SMEX_EMULATED_COUNTS=$work/counts run peer 1 "$gpus" 0 --transfers peer
! grep -q '^nccl' "$work/counts" || fail "--transfers peer goes by NCCL"
status=0
run refused 0 "$gpus" 0 --transfers peer 2> "$work/stderr" || status=$?
[[ $status == 4 ]] || fail "--transfers peer, without peer access: exit status $status"
grep -q "error: --transfers peer: the GPUs do not reach each other's memory" "$work/stderr" ||
  fail "--transfers peer, without peer access: says $(cat "$work/stderr")"
# It is NCCL that did it.
status=0
mkdir "$work/lacking"
touch "$work/lacking/libnccl.so.2" # found before any that is installed
LD_LIBRARY_PATH=$cuda:$work/lacking run without 0 "$gpus" 0 2> "$work/stderr" || status=$?
[[ $status == 4 ]] || fail "without NCCL: exit status $status"
grep -q 'need NCCL: .*libnccl.so.2' "$work/stderr" || fail "without NCCL: says $(cat "$work/stderr")"
