#!/bin/bash
# Layers that each work on a sample of their own (--sample-layers): GraphSAGE
# and FastGCN by their definitions, on the same blocks, a node at a time
# (sample_layers.py); inference for given nodes, and training, for any number of
# workers. Losses that the model computes, and labels of edges, with samples and
# walks that all layers work on, too.
# usage: sample_layers.sh SMEX_ZOO SMEXC SMEX_RUN LAYER_BLOCKS REFERENCE
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 blocks=$PWD/$4 reference=$PWD/$5
cd "${TEST_TMPDIR:-$(mktemp -d)}"
check() { /usr/bin/python3 "$reference" "$@"; }
check prepare
sizes=(--features 5 --hidden 6 --classes 4)
"$zoo" sage --layers 2 "${sizes[@]}" -o sage.json
check given sage.json given.json
"$zoo" sage-mailbox --reducer median --layers 2 "${sizes[@]}" -o median.json
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
    check trained $loss labelled.npy metrics.json saved.safetensors step{0,1,2,3}.txt
  done
done

for step in 0 1 2 3; do
  "$blocks" graph.txt 3,2 4 $step all.npy > all$step.txt
  "$blocks" graph.txt 3 4 $step link_ends.npy > ends$step.txt
  "$blocks" graph.txt 3,2 4 $step link_ends.npy > both$step.txt
done
"$blocks" graph.txt 4 2 0 nodes.npy walk > walk.txt
for gpus in 1 3; do
  compile() { # MODEL PLAN [OPTION...]
    "$smexc" "$1" "${room[@]}" --gpus $gpus --cuda-arch none -o "$2" "${@:3}"
    "$smexc" check "$2"
  }
  run() { # PLAN [OPTION...]
    "$run" "$1" --graph graph.txt --input features=features.npy --parameters sage.safetensors --steps 4 --verify \
      --metrics metrics.json --save-parameters saved.safetensors "${@:2}"
  }
  # A loss that the model computes, of those of the batch: by the input that
  # says which nodes count, or, without one, all.
  train=(--train --optimizer sgd --lr 0.5 --loss)
  compile given.json given "${train[@]}" given:loss --counted=in_batch
  compile given.json layers "${train[@]}" given:loss --counted=in_batch --sample-layers 3,2 --batch 60
  compile sage.json added "${train[@]}" mse --counted
  targets=(--input targets=targets.npy)
  run layers "${targets[@]}" --input in_batch=counted.npy --sample-layers 3,2 --batch "$labelled" --seed 4
  check trained mse labelled.npy metrics.json saved.safetensors step{0,1,2,3}.txt
  run layers "${targets[@]}" --sample-layers 3,2 --batch 60 --seed 4
  check trained mse all.npy metrics.json saved.safetensors all{0,1,2,3}.txt
  run given "${targets[@]}" --input in_batch=counted.npy --sample 3,2 --batch "$labelled" --seed 4
  check united mse labelled.npy metrics.json saved.safetensors step{0,1,2,3}.txt
  run given "${targets[@]}"
  cp metrics.json whole.json
  run given "${targets[@]}" --sample=-1,-1 --batch 60
  /usr/bin/python3 - << 'PY'
import json
import numpy as np
whole, all = ([step["loss"] for step in json.load(open(name))["steps"]] for name in ("whole.json", "metrics.json"))
np.testing.assert_allclose(all, whole, rtol=1e-5)
PY
  # Of some in each step, the same as by a loss that smexc adds.
  for sample in "--sample 2,2" "--walk 4"; do
    # shellcheck disable=SC2086
    run given "${targets[@]}" --input in_batch=counted.npy $sample --batch 5 --seed 2
    cp metrics.json own.json
    # shellcheck disable=SC2086
    run added --input labels=targets.npy --input counted=counted.npy $sample --batch 5 --seed 2
    /usr/bin/python3 - << 'PY'
import json
import numpy as np
own, added = ([step["loss"] for step in json.load(open(name))["steps"]] for name in ("own.json", "metrics.json"))
np.testing.assert_allclose(own, added, rtol=1e-5)
assert len(set(own)) == len(own), own
PY
  done
  # Mailboxes, of as many messages as a layer samples.
  compile median.json median --sample-layers 3,2 --batch 9
  "$smexc" inspect median | grep 'layer 2 .*room for 18 edges, up to 3 messages to a node'
  "$run" median --graph graph.txt --input features=features.npy --parameters median.safetensors --sample-layers 3,2 \
    --nodes nodes.npy --seed 2 --verify --output-dir out
  "$blocks" graph.txt 3,2 2 0 nodes.npy > blocks.txt
  check median median.safetensors blocks.txt nodes.npy out/logits.npy
  # Results of some nodes along walks.
  compile sage.json eval
  "$run" eval --graph graph.txt --input features=features.npy --parameters sage.safetensors --walk 4 --nodes nodes.npy \
    --seed 2 --verify --output-dir out
  check walked sage.safetensors walk.txt nodes.npy out/logits.npy
  # Labels of edges: these are drawn, and samples are for their ends.
  compile linked.json linked "${train[@]}" bce_with_logits --counted
  links() { # [OPTION...]
    "$run" linked --graph graph.txt --input features=features.npy --input labels=link_targets.npy \
      --parameters linked.safetensors --steps 4 --verify --metrics metrics.json --save-parameters saved.safetensors "$@"
  }
  links --input counted=links.npy --sample 3 --batch 12 --seed 4
  check linked metrics.json saved.safetensors ends{0,1,2,3}.txt
  # The same with layers of their own, in which they pass no messages.
  compile linked.json linked_layers "${train[@]}" bce_with_logits --counted --sample-layers 3 --batch 12
  "$smexc" inspect linked_layers | grep 'batch of edges .*room for 12 edges'
  mv linked united && mv linked_layers linked
  links --input counted=links.npy --sample-layers 3 --batch 12 --seed 4
  check linked-layers metrics.json saved.safetensors ends{0,1,2,3}.txt
  mv linked linked_layers && mv united linked
  # Edges with features, which each layer has of its own.
  compile featured.json featured "${train[@]}" bce_with_logits --counted --sample-layers 3,2 --batch 12
  "$run" featured --graph graph.txt --input features=features.npy --input edge_features=edge_features.npy \
    --input labels=link_targets.npy --input counted=links.npy --parameters featured.safetensors --sample-layers 3,2 \
    --batch 12 --seed 4 --steps 4 --verify --metrics metrics.json --save-parameters saved.safetensors
  check featured metrics.json saved.safetensors both{0,1,2,3}.txt
  for sample in "--sample 2" "--walk 2"; do
    # shellcheck disable=SC2086
    links $sample --batch 7 --seed 2
    cp metrics.json "$gpus.${sample:2:4}.json"
  done
done
/usr/bin/python3 - << 'PY'
import json
import numpy as np
for how in ("samp", "walk"):
    one, three = ([step["loss"] for step in json.load(open(f"{gpus}.{how}.json"))["steps"]] for gpus in (1, 3))
    np.testing.assert_allclose(one, three, rtol=1e-5)
PY

# Many draws: all of the matrix.
"$smexc" one.json "${room[@]}" --sample-layers=-1 --batch 9 --gpus 2 --cuda-arch none -o one
"$run" one --graph graph.txt --input features=features.npy --parameters one.safetensors --sample-layers 100000 \
  --importance --nodes nodes.npy --seed 5 --output-dir out
check full out/logits.npy 100000
