#!/bin/bash
# A model of ONNX whose edge list is an input: reduced over segments, with lists that smex-run derives. Numbers that count
# from the end, a graph for each step, the edge list bound when compiled: all give the same results.
# usage: edges_at_run.sh SMEXC SMEX_RUN COMPARE_NPY MODEL_DIR NODES
set -euo pipefail
smexc=$PWD/$1 run=$PWD/$2 compare=$PWD/$3 model=$PWD/$4 nodes=$5
cd "${TEST_TMPDIR:-$(mktemp -d)}"
fail() {
  echo "$1" >&2
  exit 1
}
has_derived() { grep -q '"derivation": "offsets"' "$1/program.json"; }

others=() # inputs that are no list of ends
for file in "$model"/inputs/*.npy; do
  name=$(basename "$file" .npy)
  [[ $name == src || $name == dst ]] || others+=(--input "$name=$file")
done

# Every third end counted from the end; three steps, the model's own graph the last, and edges turned round before.
/usr/bin/python3 - "$model" "$nodes" << 'PY'
import sys
import numpy as np
for name, other in [("src", "dst"), ("dst", "src")]:
    ends, others = (np.load(f"{sys.argv[1]}/inputs/{n}.npy") for n in [name, other])
    np.save(f"{name}_steps.npy", np.stack([others, ends[::-1], ends]))
    ends[::3] -= int(sys.argv[2])
    np.save(f"{name}.npy", ends)
PY

for gpus in 1 2 3 8; do
  "$smexc" "$model/model.onnx" --gpus "$gpus" --cuda-arch none -o plan
  "$smexc" check plan
  has_derived plan || fail "no list is derived"
  "$run" plan "${others[@]}" --input src="$model/inputs/src.npy" --input dst="$model/inputs/dst.npy" --verify --output-dir own
  "$compare" own/output0.npy "$model/outputs/output0.npy"

  "$run" plan "${others[@]}" --input src=src.npy --input dst=dst.npy --verify --output-dir out
  "$compare" out/output0.npy "$model/outputs/output0.npy"

  "$run" plan "${others[@]}" --input src=src_steps.npy --input dst=dst_steps.npy --steps 3 --verify --output-dir out
  cmp out/output0.npy own/output0.npy

  for ends in "$model/inputs/" ""; do
    "$smexc" "$model/model.onnx" --constant src="${ends}src.npy" --constant dst="${ends}dst.npy" --gpus "$gpus" --cuda-arch none -o bound
    "$smexc" check bound
    ! has_derived bound || fail "a list is derived that is known"
    "$run" bound "${others[@]}" --verify --output-dir out
    "$compare" out/output0.npy "$model/outputs/output0.npy"
  done
done
"$run" plan --verify # on synthetic inputs
"$smexc" simulate plan --machine h200 > /dev/null
"$smexc" diff plan plan > /dev/null
"$smexc" inspect plan --gpu 1 > listing
grep -q 'derived  *dst.offsets (offsets of dst)' listing || fail "not shown: a derived input"

"$smexc" "$model/model.onnx" --train --loss mse --gpus 3 --cuda-arch none -o train
"$smexc" check train
"$run" train --steps 2 --verify
