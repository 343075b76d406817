#!/bin/bash
# Layers that each work on a sample of their own (--sample-layers): GraphSAGE
# and FastGCN by their definitions, on the same blocks, a node at a time
# (sample_layers.py); inference for given nodes, and training, for any number of
# workers.
# usage: sample_layers.sh SMEX_ZOO SMEXC SMEX_RUN LAYER_BLOCKS REFERENCE
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 blocks=$PWD/$4 reference=$PWD/$5
cd "${TEST_TMPDIR:-$(mktemp -d)}"
check() { /usr/bin/python3 "$reference" "$@"; }
check prepare
sizes=(--features 5 --hidden 6 --classes 4)
"$zoo" sage --layers 2 "${sizes[@]}" -o sage.json
"$zoo" gcn --matrix --layers 2 "${sizes[@]}" -o gcn.json
"$zoo" gcn --matrix --layers 1 "${sizes[@]}" -o one.json
room=(--dim nodes=60 --dim edges=301)
labelled=$(/usr/bin/python3 -c 'import numpy; print(len(numpy.load("labelled.npy")))')

for gpus in 1 3 8; do
  "$smexc" sage.json "${room[@]}" --sample-layers 3,2 --batch 9 --gpus $gpus --cuda-arch none -o sage
  "$smexc" check sage
  "$smexc" inspect sage | grep 'layer 2 .*room for 18 edges'
  for seed in 1 2; do
    "$run" sage --graph graph.txt --input features=features.npy --parameters sage.safetensors --sample-layers 3,2 \
      --nodes nodes.npy --seed $seed --verify --output-dir out
    "$blocks" graph.txt 3,2 $seed 0 nodes.npy > blocks.txt
    check sage sage.safetensors blocks.txt nodes.npy out/logits.npy
  done

  "$smexc" gcn.json "${room[@]}" --sample-layers=-1,-1 --batch 9 --gpus $gpus --cuda-arch none -o gcn
  "$smexc" check gcn
  "$run" gcn --graph graph.txt --input features=features.npy --parameters gcn.safetensors --sample-layers 20,10 \
    --importance --nodes nodes.npy --seed 3 --verify --output-dir out
  "$blocks" graph.txt 20,10 3 0 nodes.npy importance > blocks.txt
  check fastgcn gcn.safetensors blocks.txt nodes.npy out/logits.npy

  for step in 0 1 2 3; do
    "$blocks" graph.txt 3,2 4 $step labelled.npy > step$step.txt
  done
  for loss in cross_entropy mse; do
    training=(--train --loss $loss --optimizer sgd --lr 0.5)
    labels=(--input labels=labels.npy)
    if [ $loss = cross_entropy ]; then
      training+=(--ignore-index -1)
    else # whose labels all are numbers
      training+=(--counted)
      labels=(--input labels=targets.npy --input counted=counted.npy)
    fi
    "$smexc" sage.json "${room[@]}" --sample-layers 3,2 --batch "$labelled" --gpus $gpus --cuda-arch none "${training[@]}" -o trained
    "$smexc" check trained
    "$run" trained --graph graph.txt --input features=features.npy "${labels[@]}" --parameters sage.safetensors \
      --sample-layers 3,2 --batch "$labelled" --seed 4 --steps 4 --verify --metrics metrics.json \
      --save-parameters saved.safetensors
    check trained $loss metrics.json saved.safetensors step{0,1,2,3}.txt
  done
done

# Many draws: all of the matrix.
"$smexc" one.json "${room[@]}" --sample-layers=-1 --batch 9 --gpus 2 --cuda-arch none -o one
"$run" one --graph graph.txt --input features=features.npy --parameters one.safetensors --sample-layers 100000 \
  --importance --nodes nodes.npy --seed 5 --output-dir out
check full out/logits.npy 100000
