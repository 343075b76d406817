#!/bin/bash
# Training on emulated GPUs gives PyTorch's losses and parameters; a run that
# is resumed, the same bits.
# usage: emulated_cuda_training.sh SMEXC SMEX_RUN TRAINING_MATCHES LIBCUDA MODEL_DIR N OPTION...
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 matches=$3 libcuda=$4 model=$5 gpus=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --train "$@" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan"
export LD_LIBRARY_PATH=$(cd "$(dirname "$libcuda")" && pwd)
export SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_SEED=3
run() {
  "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda "$@"
}
run --steps 6 --verify --metrics "$work/metrics.json" --save-parameters "$work/trained.safetensors"
"$matches" "$work/metrics.json" "$model/losses.npy" "$work/trained.safetensors" "$model/parameters"

# Half of it, and then the rest from the checkpoint: the same bits.
run --steps 3 --checkpoint-dir "$work/checkpoints" --checkpoint-every 3
run --steps 6 --checkpoint-dir "$work/checkpoints" --resume --save-parameters "$work/resumed.safetensors"
cmp "$work/trained.safetensors" "$work/resumed.safetensors" || fail "the resumed run has other parameters"
