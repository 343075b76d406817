#!/bin/bash
# Training of a model of f32 as one of f16 or bf16 (to_half), on N GPUs: verified in
# VERIFIED steps, and losses as close to PyTorch's in f32 as the type's tolerance in
# COMPARED steps.
# usage: half_training.sh SMEXC SMEX_RUN TO_HALF TRAINING_MATCHES MODEL_DIR TYPE N VERIFIED COMPARED OPTION...
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 to_half=$3 matches=$4 model=$5 type=$6 gpus=$7 verified=$8 compared=$9
shift 9
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
"$smexc" "$work/model.onnx" "${constants[@]}" --train "$@" --gpus "$gpus" --cuda-arch none -o "$work/plan"
"$smexc" check "$work/plan"
"$smex_run" "$work/plan" "${halves[@]}" --steps "$verified" --verify
"$smex_run" "$work/plan" "${halves[@]}" --steps "$compared" --metrics "$work/metrics.json"
"$matches" "$work/metrics.json" "$model/losses.npy" "${tolerance[$type]}"
