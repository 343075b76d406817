#!/bin/bash
# A module that PyTorch has exported trains as PyTorch trains it, whether or not
# the exporter's optimizer has merged and computed with its parameters, and
# keeps their names.
# usage: exported.sh SMEXC SMEX_RUN TRAINING_MATCHES FOLDER MODEL N OPTION...
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 matches=$3 folder=$4 model=$5 gpus=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$folder"
"$smexc" "$folder/$model.onnx" --train --optimizer adamw --lr 1e-3 "$@" --gpus "$gpus" -o "$work/plan"
"$smexc" check "$work/plan"
"$smex_run" "$work/plan" "${inputs[@]}" --steps 5 --verify --metrics "$work/metrics.json" \
  --save-parameters "$work/trained.safetensors"
"$matches" "$work/metrics.json" "$folder/losses.npy" "$work/trained.safetensors" "$folder/parameters.safetensors" 1e-4

# What was saved are good initial values.
"$smex_run" "$work/plan" "${inputs[@]}" --parameters "$work/trained.safetensors" --verify
