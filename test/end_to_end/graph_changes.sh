#!/bin/bash
# Networks that pool, contract and grow the graphs they are given: outputs,
# losses and parameters are those of plain PyTorch, which has as many nodes and
# edges as there are, on several numbers of workers; with the plan's own graphs,
# and in plans with room for more.
# usage: graph_changes.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER CHANGE [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 compare=$PWD/$4 matches=$PWD/$5 folder=$PWD/$6 change=$7
shift 7
cd "${TEST_TMPDIR:-$(mktemp -d)}"

name=changing-$change
"$zoo" changing --change "$change" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
inputs=(--input features="$folder/features.npy" --parameters "$folder/$name.safetensors")
labels=(--input labels="$folder/graph_labels.npy")
files=()
for graph in 0 1 2 3 4 5; do
  files+=(--graph "$folder/batch/$graph.mtx")
done
for gpus in 1 3 8; do
  for room in "" "--dim graphs=7 --dim nodes=37 --dim edges=66"; do
    # shellcheck disable=SC2206
    made=($room) given=("${files[@]}")
    [ -n "$room" ] || made=("${files[@]}") given=()
    "$smexc" model.json "${made[@]}" --gpus $gpus --cuda-arch none -o eval
    "$smexc" check eval
    "$run" eval "${given[@]}" "${inputs[@]}" --output-dir out --verify
    /usr/bin/python3 -c 'import numpy as np; np.save("logits.npy", np.load("out/logits.npy")[:6])'
    "$compare" logits.npy "$folder/${name}_logits.npy"

    "$smexc" model.json "${made[@]}" --gpus $gpus --cuda-arch none -o plan "${training[@]}"
    "$smexc" check plan
    "$run" plan "${given[@]}" "${inputs[@]}" "${labels[@]}" --steps 5 --verify --metrics metrics.json \
      --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
done
