#!/bin/bash
# One real model through the whole product: compiled for N GPUs, proven sound, run
# from its plan on the CPU, compared with the unpartitioned run and with PyTorch.
# usage: model.sh SMEXC SMEX_RUN COMPARE_NPY MODEL_DIR N
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 compare=$3 model=$4 gpus=$5
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus "$gpus" -o "$work/plan"
"$smexc" check "$work/plan"
# --verify also compares predicted communication and peak bytes with measured ones.
"$smex_run" "$work/plan" "${inputs[@]}" --verify --output-dir "$work/out" \
  --metrics "$work/metrics.json"
# The interpreter knows neither kernels nor libraries, and the timing that it
# takes is another one.
"$smex_run" "$work/plan" "${inputs[@]}" --backend reference --seed 5 --verify \
  --output-dir "$work/reference"
for expected in "$model"/outputs/*.npy; do
  for out in out reference; do
    "$compare" "$work/$out/$(basename "$expected")" "$expected" --tolerance 1e-4
  done
done
