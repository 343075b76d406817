#!/bin/bash
# --reproducible: losses and parameters of a training are the same bits for
# every number of GPUs.
# usage: same_bits.sh SMEXC SMEX_RUN MODEL OPTION...
# MODEL: a file, run on synthetic inputs, or a folder of test/models/training.
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 model=$3
shift 3
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
for gpus in 1 2 7 8; do
  "$smexc" "$file" --train "$@" --reproducible --gpus $gpus --cuda-arch none -o "$work/plan"
  "$smexc" check "$work/plan"
  if grep '"kind":' "$work/plan/program.json" | grep -qv '"generated"'; then
    fail "$gpus GPUs: not all kernels are generated"
  fi
  if grep -q '"op": "reduce"' "$work/plan/program.json"; then
    fail "$gpus GPUs: a sum is split"
  fi
  "$smex_run" "$work/plan" "${inputs[@]}" --steps 5 --metrics "$work/metrics.json" \
    --save-parameters "$work/trained$gpus"
  grep -o '"loss": [^,}]*' "$work/metrics.json" > "$work/losses$gpus"
  [[ $(sort -u "$work/losses$gpus" | wc -l) == 5 ]] || fail "$gpus GPUs: $(cat "$work/losses$gpus")"
  cmp "$work/losses1" "$work/losses$gpus" || fail "$gpus GPUs: other losses"
  cmp "$work/trained1" "$work/trained$gpus" || fail "$gpus GPUs: other parameters"
done
