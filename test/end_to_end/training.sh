#!/bin/bash
# Training from a plan on N workers gives PyTorch's losses and parameters.
# usage: training.sh SMEXC SMEX_RUN TRAINING_MATCHES MODEL_DIR N OPTION...
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 matches=$3 model=$4 gpus=$5
shift 5
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --train "$@" --gpus "$gpus" -o "$work/plan"
"$smexc" check "$work/plan"
"$smex_run" "$work/plan" "${inputs[@]}" --steps 6 --verify --metrics "$work/metrics.json" \
  --save-parameters "$work/trained.safetensors"
"$matches" "$work/metrics.json" "$model/losses.npy" "$work/trained.safetensors" "$model/parameters"

# The interpreter knows neither kernels nor libraries, and the timing that it
# takes is another one.
"$smex_run" "$work/plan" "${inputs[@]}" --backend reference --steps 6 \
  --metrics "$work/reference.json" --save-parameters "$work/reference.safetensors"
"$matches" "$work/reference.json" "$model/losses.npy" "$work/reference.safetensors" \
  "$model/parameters"

# What was saved are good initial values.
"$smex_run" "$work/plan" "${inputs[@]}" --parameters "$work/trained.safetensors" --verify
