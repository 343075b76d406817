#!/bin/bash
# The cuda backend makes events of a plan's waits: without these the emulated
# driver finds a race of streams, or that what is read was not written yet, in whatever
# order it takes them.
# usage: emulated_cuda_waits.sh SMEXC SMEX_RUN WITHOUT_WAIT LIBCUDA MODEL_DIR
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 without=$3 libcuda=$4 model=$5
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus 3 --cuda-arch sm_80 -o "$work/plan" > /dev/null
cp -r "$work/plan" "$work/without"
"$without" "$work/without" --all
export LD_LIBRARY_PATH=$(emulated "$libcuda")
for devices in 1 3; do
  for seed in 0 1 2 3; do
    export SMEX_EMULATED_DEVICES=$devices SMEX_EMULATED_SEED=$seed
    "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda --verify > /dev/null
    status=0
    "$smex_run" "$work/without" "${inputs[@]}" --backend cuda \
      > /dev/null 2> "$work/stderr" || status=$?
    [[ $status == 4 ]] || fail "$devices GPUs, seed $seed: exit status $status without waits"
    grep -Eq 'race|never written|nobody has written' "$work/stderr" || fail "neither a race nor a missing write is found: $(cat "$work/stderr")"
  done
done
