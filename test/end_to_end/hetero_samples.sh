#!/bin/bash
# Training on samples of users and items: of all neighbours in all relations, it
# is PyTorch's on the whole graphs; of some, a function of the seed, for any
# number of workers; and a network learns from samples of graphs that are larger
# than the plan.
# usage: hetero_samples.sh SMEX_ZOO SMEXC SMEX_RUN TRAINING_MATCHES FOLDER NAME [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 matches=$PWD/$4 folder=$PWD/$5 name=$6
shift 6
cd "${TEST_TMPDIR:-$(mktemp -d)}"

"$zoo" "$name" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
room=(--dim users=33 --dim items=20 --dim follows_edges=60 --dim rates_edges=90 --dim rated_by_edges=60)
graphs=()
for relation in follows rates rated_by; do
  graphs+=(--graph "$relation=$folder/$relation.mtx")
done
data=(--input users="$folder/features.npy" --input items="$folder/items.npy" --input labels="$folder/labels.npy"
  --parameters "$folder/$name.safetensors" --metrics metrics.json)
for gpus in 1 2 3; do
  "$smexc" model.json "${room[@]}" --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  for sample in "--sample 90,90 --batch 30" "--sample=-1,-1 --batch 33 --seed 7"; do
    # shellcheck disable=SC2086
    "$run" plan "${graphs[@]}" "${data[@]}" --steps 5 $sample --verify --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
  step() { # SEED STEPS FILE [OPTION...]
    "$run" plan "${graphs[@]}" "${data[@]}" --sample 2,3 --batch 5 --seed "$1" --steps "$2" --save-parameters "$3" "${@:4}"
  }
  for seed in 1 2; do
    step $seed 12 $seed.safetensors --verify
    mv metrics.json $gpus.$seed.json
  done
  # The same bits again; and after a pause; and whichever graph comes first.
  step 2 12 again.safetensors
  cmp again.safetensors 2.safetensors
  graphs=("${graphs[@]:2}" "${graphs[@]:0:2}")
  for steps in 7 12; do
    rm -f rest.safetensors
    step 2 $steps rest.safetensors --checkpoint-dir checkpoints$gpus --checkpoint-every 7 --resume
  done
  cmp rest.safetensors 2.safetensors
done

# Each layer on a sample of its own: of all neighbours, PyTorch's again; with
# numbers for each relation, the same for any number of workers.
for gpus in 1 3; do
  "$smexc" model.json "${room[@]}" --sample-layers=-1,-1 --batch 33 --gpus $gpus --cuda-arch none -o layers "${training[@]}"
  "$smexc" check layers
  for sample in "--sample-layers 90,90 --batch 30" "--sample-layers=-1,-1 --batch 33 --seed 7"; do
    # shellcheck disable=SC2086
    "$run" layers "${graphs[@]}" "${data[@]}" --steps 5 $sample --verify --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
  "$run" layers "${graphs[@]}" "${data[@]}" --sample-layers 2,2 --sample-layers rates=1,3 --batch 5 --steps 12 --seed 1 --verify
  mv metrics.json layers.$gpus.json
  # The same in a plan with room for no more than that: of 5 users, 5 x 2 edges
  # in the last layer; of the 15 users and 10 items that these read, so many.
  "$smexc" model.json "${room[@]}" --sample-layers 2,2 --sample-layers rates=1,3 --batch 5 --gpus $gpus --cuda-arch none \
    -o tight "${training[@]}"
  "$smexc" check tight
  "$smexc" inspect tight | sed -n 's/^ *layer \(.\) *room for \(.*\)$/\1 \2/p' | sort > rooms.txt
  diff rooms.txt - << 'ROOMS'
1 10 edges of rates
1 30 edges of follows
1 30 edges of rated_by
2 10 edges of follows
2 10 edges of rated_by
ROOMS
  "$run" tight "${graphs[@]}" "${data[@]}" --sample-layers 2,2 --sample-layers rates=1,3 --batch 5 --steps 12 --seed 1 --verify
  mv metrics.json tight.$gpus.json
  "$run" plan "${graphs[@]}" "${data[@]}" --sample 2,2 --sample rates=1,3 --batch 5 --steps 12 --seed 1 --verify
  "$smexc" model.json "${room[@]}" --sample-layers=-1,-1 --batch 5 --gpus $gpus --cuda-arch none -o some
  /usr/bin/python3 -c 'import numpy; numpy.save("some.npy", numpy.array([7, 29, 0]))'
  "$run" some "${graphs[@]}" "${data[@]:0:4}" --parameters "$folder/$name.safetensors" --sample-layers=-1,-1 \
    --nodes users=some.npy --output-dir out
  /usr/bin/python3 - "$folder/${name}_logits.npy" << 'PY'
import sys
import numpy as np
np.testing.assert_allclose(np.load("out/logits.npy"), np.load(sys.argv[1])[[7, 29, 0]], rtol=1e-4, atol=1e-4)
PY
done
/usr/bin/python3 - << 'PY'
import json
import numpy as np
one, *others = (np.array([step["loss"] for step in json.load(open(f"{plan}.{gpus}.json"))["steps"]])
                for plan in ("layers", "tight") for gpus in (1, 3))
for other in others:
    np.testing.assert_allclose(one, other, rtol=1e-5)
PY

# 400 users and 90 items, which those of one class rate: for a plan of few.
/usr/bin/python3 - << 'PY'
import json
import numpy as np
losses = {(gpus, seed): np.array([step["loss"] for step in json.load(open(f"{gpus}.{seed}.json"))["steps"]])
          for gpus in (1, 2, 3) for seed in (1, 2)}
for (gpus, seed), mine in losses.items():
    np.testing.assert_allclose(mine, losses[1, seed], rtol=1e-5)
assert np.abs(losses[1, 1] - losses[1, 2]).max() > 1e-2
random = np.random.default_rng(5)
users, items, classes = 400, 90, 3
kind = {"users": np.arange(users) % classes, "items": np.arange(items) % classes}
for relation, source, destination in (("rates", "users", "items"), ("rated_by", "items", "users"),
                                      ("follows", "users", "users")):
    of_class = [np.flatnonzero(kind[source] == c) for c in range(classes)]
    edges = [(random.choice(of_class[c]), v) for v, c in enumerate(kind[destination]) for _ in range(random.integers(7))]
    with open(f"{relation}.mtx", "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate pattern general\n")
        file.write(f"{len(kind[source])} {len(kind[destination])} {len(edges)}\n")
        file.writelines(f"{s + 1} {d + 1}\n" for s, d in edges)
for name, width in (("users", 12), ("items", 7)):
    features = random.standard_normal((len(kind[name]), width)).astype(np.float32)
    features[np.arange(len(kind[name])), kind[name]] += 1.5
    np.save(name + ".npy", features)
labels = kind["users"].copy()
labels[random.random(users) < 0.5] = -1
np.save("labels.npy", labels)
PY
"$smexc" model.json --dim users=60 --dim items=40 --dim follows_edges=60 --dim rates_edges=50 --dim rated_by_edges=60 \
  --gpus 2 --cuda-arch none -o plan "${training[@]}"
"$run" plan --graph rates=rates.mtx --graph rated_by=rated_by.mtx --graph follows=follows.mtx --input users=users.npy \
  --input items=items.npy --input labels=labels.npy --parameters "$folder/$name.safetensors" --steps 400 --sample 2,3 \
  --batch 4 --verify --metrics metrics.json
/usr/bin/python3 - << 'PY'
import json
import numpy as np
losses = [step["loss"] for step in json.load(open("metrics.json", encoding="utf-8"))["steps"]]
first, last = np.mean(losses[:20]), np.mean(losses[-50:])
assert last < first / 2, (first, last)
PY
