#!/bin/bash
# A plan with room for a graph: features and labels of a smaller one are filled
# up; of samples that hold all neighbours, one for all layers or one for each,
# training is PyTorch's on the whole graph; samples, and what random walks have
# seen, are a function of the seed, for any number of workers; and a network
# learns from samples, and from walks, of a graph that is larger than the plan.
# usage: samples.sh SMEX_ZOO SMEXC SMEX_RUN TRAINING_MATCHES FOLDER EDGES NAME [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 matches=$PWD/$4 folder=$PWD/$5 edges=$PWD/$5/$6 name=$7
shift 7
cd "${TEST_TMPDIR:-$(mktemp -d)}"

"$zoo" "$name" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
data=(--input features="$folder/features.npy" --input labels="$folder/labels.npy"
  --parameters "$folder/$name.safetensors" --metrics metrics.json)
for gpus in 1 2 3 8; do
  "$smexc" model.json --dim nodes=33 --dim edges=140 --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  for sample in "" "--sample 50,50 --batch 30" "--sample=-1,-1 --batch 33 --seed 7"; do
    # shellcheck disable=SC2086
    "$run" plan --graph "$edges" "${data[@]}" --steps 5 $sample --verify --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
  # Layers that each have all edges, in lists of their own.
  "$smexc" model.json --dim nodes=33 --dim edges=140 --sample-layers=-1,-1 --batch 33 --gpus $gpus --cuda-arch none -o layers "${training[@]}"
  "$smexc" check layers
  for sample in "" "--sample-layers=-1,-1 --batch 33 --seed 7"; do
    # shellcheck disable=SC2086
    "$run" layers --graph "$edges" "${data[@]}" --steps 5 $sample --verify --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
  for sample in "--sample 2,3" "--walk 4"; do
    step() { # SEED STEPS FILE [OPTION...]
      # shellcheck disable=SC2086
      "$run" plan --graph "$edges" "${data[@]}" $sample --batch 5 --seed "$1" --steps "$2" --save-parameters "$3" "${@:4}"
    }
    for seed in 1 2; do
      step $seed 12 $seed.safetensors --verify
      mv metrics.json "$gpus.$seed.${sample:2:4}.json"
    done
    # The same bits again; and after a pause.
    step 2 12 again.safetensors
    cmp again.safetensors 2.safetensors
    rm -rf checkpoints
    for steps in 7 12; do
      rm -f rest.safetensors
      step 2 $steps rest.safetensors --checkpoint-dir checkpoints --checkpoint-every 7 --resume
    done
    cmp rest.safetensors 2.safetensors
  done
done

# A graph of 600 nodes, neighbours of one class, for a plan of 49.
/usr/bin/python3 - << 'PY'
import json
import numpy as np
for how in ("samp", "walk"):
    losses = {(gpus, seed): np.array([step["loss"] for step in json.load(open(f"{gpus}.{seed}.{how}.json"))["steps"]])
              for gpus in (1, 2, 3, 8) for seed in (1, 2)}
    for (gpus, seed), mine in losses.items():
        np.testing.assert_allclose(mine, losses[1, seed], rtol=1e-5)
    assert np.abs(losses[1, 1] - losses[1, 2]).max() > 1e-2
random = np.random.default_rng(5)
nodes, classes = 600, 4
labels = np.arange(nodes) % classes
with open("large.txt", "w", encoding="utf-8") as file:
    for v in range(nodes):
        for u in random.integers(nodes // classes, size=random.integers(9)):
            file.write(f"{u * classes + labels[v]} {v}\n")
    file.write(f"{nodes - 1} {nodes - 1}\n")
features = random.standard_normal((nodes, 12)).astype(np.float32)
features[np.arange(nodes), labels] += 1.5
np.save("features.npy", features)
labels[random.random(nodes) < 0.5] = -1
np.save("labels.npy", labels)
PY
"$smexc" model.json --dim nodes=49 --dim edges=100 --gpus 2 --cuda-arch none -o plan "${training[@]}"
"$run" plan --graph large.txt --input features=features.npy --input labels=labels.npy \
  --parameters "$folder/$name.safetensors" --steps 400 --sample 2,3 --batch 4 --verify --metrics samples.json
"$run" plan --graph large.txt --input features=features.npy --input labels=labels.npy \
  --parameters "$folder/$name.safetensors" --steps 400 --walk 5 --batch 8 --verify --metrics walks.json
/usr/bin/python3 - << 'PY'
import json
import numpy as np
for how in ("samples", "walks"):
    losses = [step["loss"] for step in json.load(open(how + ".json", encoding="utf-8"))["steps"]]
    first, last = np.mean(losses[:20]), np.mean(losses[-50:])
    assert last < first / 2, (how, first, last)
PY
