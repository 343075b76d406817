#!/bin/bash
# Plans with one field changed and the hashes mended: check refuses them, or they give the
# same results. A perceptron, a convolutional network, a training step, a graph network.
# usage: mutated_plans.sh SMEXC SMEX_ZOO SMEX_RUN MUTATE_PLANS MODELS SAMPLE
set -euo pipefail
smexc=$1 zoo=$2 run=$3 mutate=$4 models=$5 sample=$6
work=${TEST_TMPDIR:-$(mktemp -d)}

"$smexc" "$models/mlp/model.onnx" --gpus 2 -o "$work/mlp"
"$smexc" "$models/resnet18/model.onnx" --gpus 3 --cuda-arch none -o "$work/resnet18"
"$smexc" "$models/mlp/model.onnx" --gpus 2 --cuda-arch none --train --loss cross_entropy --optimizer adam --lr 0.01 -o "$work/training"
"$zoo" gcn --features 6 --hidden 4 --classes 3 --layers 2 -o "$work/gcn.json"
"$smexc" "$work/gcn.json" --graph "$models/graph/edges.mtx" --gpus 2 --cuda-arch none -o "$work/gcn"
"$mutate" --sample "$sample" --seed 12 --run "$run" "$work"/{mlp,resnet18,training,gcn}

# Read and checked only: more of them, and plans with all that a plan may say of graphs.
"$zoo" gin --features 6 --hidden 4 --classes 3 --layers 2 --readout sum -o "$work/gin.json"
"$smexc" "$work/gin.json" --dim nodes=60 --dim edges=300 --dim graphs=4 --gpus 2 --cuda-arch none -o "$work/room"
"$zoo" sage-lstm --features 6 --hidden 4 --classes 3 --layers 1 -o "$work/lstm.json"
"$smexc" "$work/lstm.json" --graph "$models/graph/edges.mtx" --gpus 2 --cuda-arch none --train --loss cross_entropy -o "$work/layout"
"$zoo" nnconv --features 6 --hidden 4 --classes 3 --layers 1 -o "$work/nnconv.json"
"$smexc" "$work/nnconv.json" --graph "$models/graph/edges.mtx" --gpus 2 --cuda-arch none -o "$work/edges"
"$mutate" --sample $((5 * sample)) --seed 13 "$work"/{training,room,layout,edges}
