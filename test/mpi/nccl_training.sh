#!/bin/bash
# Training by several processes with emulated GPUs of their own, over NCCL: the
# losses and parameters of one process, with --reproducible to the bit, also where
# it is resumed, and by another number of processes; else nearly the same losses.
# usage: nccl_training.sh SMEXC SMEX_RUN LIBCUDA LIBNCCL MODEL_DIR GPUS OPTION...
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 libcuda=$3 libnccl=$4 model=$5 gpus=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --train "$@" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan" > /dev/null
export LD_LIBRARY_PATH=$(emulated "$libcuda"):$(cd "$(dirname "$libnccl")" && pwd)
order=(--reproducible)
run() { # DEVICES COMMAND... -- OPTION...
  local devices=$1 command=()
  shift
  while [[ $1 != -- ]]; do
    command+=("$1")
    shift
  done
  shift
  SMEX_EMULATED_DEVICES=$devices "${command[@]}" "$smex_run" "$work/plan" "${inputs[@]}" \
    --backend cuda "${order[@]}" "$@" > "$work/log" 2>&1 || fail "status $?: $(cat "$work/log")"
}
losses() {
  grep -o '"loss": *[-0-9.e+]*' "$work/$1.json"
}
run "$gpus" env -- --steps 4 --save-parameters "$work/one.safetensors" --metrics "$work/one.json"
run 1 together "$gpus" -- --steps 4 --save-parameters "$work/several.safetensors" --metrics "$work/several.json"
cmp "$work/one.safetensors" "$work/several.safetensors" || fail "$gpus processes: other parameters"
[[ $(losses one) == "$(losses several)" && -n $(losses one) ]] || fail "$gpus processes: other losses"

run 1 together 2 -- --steps 2 --checkpoint-dir "$work/checkpoints" --checkpoint-every 2
run 1 together "$gpus" -- --steps 4 --checkpoint-dir "$work/checkpoints" --resume \
  --save-parameters "$work/resumed.safetensors"
cmp "$work/one.safetensors" "$work/resumed.safetensors" || fail "resumed: other parameters"

# NCCL adds up in an order of its own.
order=()
run 1 together "$gpus" -- --steps 4 --metrics "$work/added.json"
paste <(losses one) <(losses added) | awk '
  { d = $2 - $4; if (d < 0) d = -d; if (!($2 > 0) || d > 1e-5 * $2) exit 1; ++count }
  END { exit count < 4 }' || fail "added up by NCCL: other losses: $(losses one) $(losses added)"
