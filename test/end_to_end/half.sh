#!/bin/bash
# A model of f32 as one of f16 or bf16 (to_half): compiled for N GPUs, proven sound,
# verified, and as close to PyTorch's f32 outputs as the type's tolerance.
# usage: half.sh SMEXC SMEX_RUN COMPARE_NPY TO_HALF MODEL_DIR TYPE N
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 compare=$3 to_half=$4 model=$5 type=$6 gpus=$7
work=${TEST_TMPDIR:-$(mktemp -d)}
declare -A tolerance=([f16]=0.0078125 [bf16]=0.0625)

inputs_of "$model"
halves=()
for ((i = 1; i < ${#inputs[@]}; i += 2)); do
  name=${inputs[i]%%=*}
  "$to_half" "$type" "${inputs[i]#*=}" "$work/$name.pb"
  halves+=(--input "$name=$work/$name.pb")
done
"$to_half" "$type" "$file" "$work/model.onnx"
"$smexc" "$work/model.onnx" "${constants[@]}" --gpus "$gpus" --cuda-arch none -o "$work/plan"
"$smexc" check "$work/plan"
"$smex_run" "$work/plan" "${halves[@]}" --verify --output-dir "$work/out"
for expected in "$model"/outputs/*.npy; do
  name=$(basename "$expected" .npy)
  reference=$expected # smex-run writes bf16 as f32
  if [[ $type == f16 ]]; then
    reference=$work/expected.pb
    "$to_half" f16 "$expected" "$reference"
  fi
  "$compare" "$work/out/$name.npy" "$reference" --tolerance "${tolerance[$type]}"
done
