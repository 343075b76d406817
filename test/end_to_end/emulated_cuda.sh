#!/bin/bash
# One real model on GPUs that are emulated: compiled for N GPUs, run by the cuda
# backend over the emulated driver (test/emulated/cuda), on as many devices as it
# has workers and on one that they share, with streams in several orders, compared
# with the unpartitioned run on the CPU and with PyTorch.
# Kernels may touch nothing but the buffers that the plan says they are given.
# usage: emulated_cuda.sh SMEXC SMEX_RUN COMPARE_NPY LIBCUDA KNOWN_LAUNCHES MODEL_DIR N
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 compare=$3 libcuda=$4 known=$5 model=$6 gpus=$7
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus "$gpus" --cuda-arch sm_80,sm_90 -o "$work/plan"
"$smexc" check "$work/plan"
assembled "$work/plan"

export LD_LIBRARY_PATH=$(emulated "$libcuda")
export SMEX_EMULATED_LOG=$work/emulated.log
run() { # DEVICES ARCH SEED OUT
  "$known" "$work/plan" "sm_$2" "$1" > "$work/launches"
  [[ -s $work/launches ]] || fail "the plan launches nothing"
  SMEX_EMULATED_LAUNCHES=$work/launches SMEX_EMULATED_DEVICES=$1 SMEX_EMULATED_ARCH=$2 SMEX_EMULATED_SEED=$3 \
    "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda --verify \
    --output-dir "$work/$4" --metrics "$work/$4.json" --trace "$work/$4.trace"
  grep -q '"backend": "cuda"' "$work/$4.json" || fail "the metrics name another backend"
  for file in json trace; do
    grep -q emulated "$work/$4.$file" || fail "the $file does not say that the GPU is emulated"
  done
  for expected in "$model"/outputs/*.npy; do
    "$compare" "$work/$4/$(basename "$expected")" "$expected" --tolerance 1e-4
  done
}
run "$gpus" 80 1 each
run 1 90 2 shared
# What has a GPU runs there unless it is told otherwise.
"$smex_run" "$work/plan" "${inputs[@]}" > "$work/auto.txt"
grep -q 'ran on cuda' "$work/auto.txt" || fail "auto does not take the GPU"
# Where all operators are cut, there is nothing to profile.
if "$smex_run" "$work/plan" "${inputs[@]}" --profile "$work/profile.json" 2> "$work/error"; then
  grep -q emulated "$work/profile.json" || fail "the profile does not say that the GPU is emulated"
else
  grep -q 'cuts every operator' "$work/error" || fail "no profile: $(cat "$work/error")"
  [ ! -e "$work/profile.json" ] || fail "a profile of nothing"
fi
