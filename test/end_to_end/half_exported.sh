#!/bin/bash
# A module of f16 or bf16 that PyTorch has exported trains with SGD and with AdamW,
# on N GPUs: verified, and losses as close to PyTorch's as the type's tolerance.
# usage: half_exported.sh SMEXC SMEX_RUN TRAINING_MATCHES MODEL_DIR TYPE VARIANT N
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 matches=$3 model=$4 type=$5 variant=$6 gpus=$7
work=${TEST_TMPDIR:-$(mktemp -d)}
declare -A tolerance=([f16]=0.0078125 [bf16]=0.0625) rate=([sgd]=0.5 [adamw]=0.01)

inputs_of "$model"
for optimizer in sgd adamw; do
  plan=$work/$optimizer
  "$smexc" "$model/${type}_$variant.onnx" --train --optimizer "$optimizer" --lr "${rate[$optimizer]}" --gpus "$gpus" --cuda-arch none -o "$plan"
  "$smexc" check "$plan"
  "$smex_run" "$plan" "${inputs[@]}" --steps 6 --verify --metrics "$work/$optimizer.json"
  "$matches" "$work/$optimizer.json" "$model/${type}_$optimizer.npy" "${tolerance[$type]}"
done
