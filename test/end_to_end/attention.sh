#!/bin/bash
# Attention on a graph of so many edges that their coefficients are computed by all that read them, and stored nowhere:
# outputs, losses and parameters are those of plain PyTorch, on processors, by the interpreter, and on GPUs that are
# emulated. Each edge of the small graph is there many times, which changes no mean that a softmax weighs.
# usage: attention.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES LIBCUDA FOLDER REFERENCE COMMAND...
# FOLDER: test/models/graph; REFERENCE: whose results there; COMMAND: the zoo's.
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
zoo=$1 smexc=$2 smex_run=$3 compare=$4 matches=$5 libcuda=$6 folder=$7 name=$8 reference=$7/$8
shift 8
work=${TEST_TMPDIR:-$(mktemp -d)}

times=40
[ "$name" = gat ] && times=16
/usr/bin/python3 - "$folder" "$name" "$work" $times << 'END'
import sys
import numpy as np
folder, name, work, times = *sys.argv[1:4], int(sys.argv[4])
edges = [[int(number) - 1 for number in line.split()[:2]]
         for line in open(folder + "/weighted.mtx", encoding="utf-8") if line[0] != "%"][1:]
if name == "gat":  # whose added self-loops are there so many times, too
    edges += [[v, v] for v in range(30) if [v, v] not in edges]
else:
    np.save(work + "/edge_features.npy", np.tile(np.load(folder + "/edge_features.npy"), (times, 1)))
with open(work + "/edges.mtx", "w", encoding="utf-8") as file:
    file.write(f"%%MatrixMarket matrix coordinate pattern general\n30 30 {times * len(edges)}\n")
    file.writelines(f"{source + 1} {destination + 1}\n" for source, destination in edges * times)
END
edges=$(sed -n '2s/.* //p' "$work/edges.mtx")
graph=(--graph "$work/edges.mtx") inputs=(--input "features=$folder/features.npy")
[ "$name" = gat ] || inputs+=(--input "edge_features=$work/edge_features.npy")
inputs+=(--parameters "$reference.safetensors")
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)

"$zoo" "$@" -o "$work/model.json"
"$smexc" "$work/model.json" "${graph[@]}" --gpus 1 "${training[@]}" --emit semantic > "$work/graph.mlir"
if grep "smex.apply .*-> tensor<${edges}x" "$work/graph.mlir"; then
  fail "something is stored for each edge"
fi
export LD_LIBRARY_PATH=$(emulated "$libcuda")
for gpus in 1 3 8; do
  export SMEX_EMULATED_DEVICES=$gpus SMEX_EMULATED_SEED=5
  "$smexc" "$work/model.json" "${graph[@]}" --gpus "$gpus" --cuda-arch sm_80 -o "$work/eval"
  "$smexc" check "$work/eval"
  "$smexc" "$work/model.json" "${graph[@]}" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan" "${training[@]}"
  "$smexc" check "$work/plan"
  for backend in cpu reference cuda; do
    echo "on $backend:"
    "$smex_run" "$work/eval" "${inputs[@]}" --backend $backend --verify --output-dir "$work/out"
    "$compare" "$work/out/logits.npy" "${reference}_logits.npy"
    "$smex_run" "$work/plan" "${inputs[@]}" --input "labels=$folder/labels.npy" --backend $backend --verify --steps 5 \
      --metrics "$work/metrics.json" --save-parameters "$work/trained.safetensors"
    "$matches" "$work/metrics.json" "${reference}_losses.npy" "$work/trained.safetensors" "${reference}_parameters"
  done
done
