#!/bin/bash
# Placements of an MLP on four GPUs, and on two groups of two: on the CPU, by the reference, and on emulated GPUs, each
# trains to the bits of one GPU's run there, with the bytes and the memory that the plan says.
# usage: placement_backends.sh SMEXC SMEX_RUN SMEX_ZOO LIBCUDA
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
LD_LIBRARY_PATH=$(emulated "$4")
export LD_LIBRARY_PATH SMEX_EMULATED_DEVICES=2

"$zoo" mlp --layers 3 --hidden 32 --input 16 --classes 8 --batch 8 -o "$work/mlp.json"
# compiled NAME OPTION..: sums are not split, or groups would have other bits.
compiled() {
  "$smexc" "$work/mlp.json" --train --optimizer sgd --lr 0.1 --reproducible --cuda-arch sm_80 "${@:2}" -o "$work/$1"
}
# trained NAME BACKEND
trained() {
  "$smex_run" "$work/$1" --backend "$2" --steps 2 --seed 5 --metrics "$work/metrics.json" \
    --save-parameters "$work/$1.$2.safetensors" > "$work/said"
}
compiled alone --gpus 1
for backend in cpu reference cuda; do
  trained alone "$backend"
done
for placed in heft pardnn round-robin 'window-search --groups 2'; do
  name=${placed// /}
  # shellcheck disable=SC2086
  compiled "$name" --gpus 4 --algorithm $placed
  /usr/bin/python3 - "$work/$name/plan.json" <<'PYTHON' || fail "$placed: not on several GPUs"
import json, sys
totals = json.load(open(sys.argv[1]))["totals"]
sys.exit(totals["communication_bytes"] == 0 or sum(peak > 0 for peak in totals["peak_bytes"]) < 2)
PYTHON
  for backend in cpu reference cuda; do
    trained "$name" "$backend"
    cmp "$work/alone.$backend.safetensors" "$work/$name.$backend.safetensors" || fail "$placed on $backend: other bits"
    /usr/bin/python3 - "$work/$name/plan.json" "$work/metrics.json" <<'PYTHON' || fail "$placed on $backend: not as predicted"
import json, sys
totals, metrics = json.load(open(sys.argv[1]))["totals"], json.load(open(sys.argv[2]))
sys.exit(totals["communication_bytes"] != metrics["communication_bytes"] or totals["peak_bytes"] != metrics["peak_bytes"])
PYTHON
  done
done
echo passed
