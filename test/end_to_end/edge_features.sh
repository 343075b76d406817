#!/bin/bash
# A graph network of the zoo whose edges have features: outputs, losses and
# parameters are those of plain PyTorch, on several numbers of workers, whether
# the plan is compiled with the graph or given it when it runs, whole or as
# samples that hold all of it; and samples of a part of it are the same for any
# number of workers.
# usage: edge_features.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER REFERENCE NAME [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 compare=$PWD/$4 matches=$PWD/$5 folder=$PWD/$6 reference=$PWD/$6/$7 name=$8
shift 8
cd "${TEST_TMPDIR:-$(mktemp -d)}"

"$zoo" "$name" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
if [[ $name = hetero-* ]]; then
  graphs=() inputs=(--input "users=$folder/features.npy" --input "items=$folder/items.npy")
  for relation in follows rates rated_by; do
    graphs+=(--graph "$relation=$folder/$relation.mtx")
    inputs+=(--input "$relation/features=$folder/${relation}_features.npy")
  done
  room=(--dim users=33 --dim items=20 --dim follows_edges=60 --dim rates_edges=90 --dim rated_by_edges=60)
else
  graphs=(--graph "$folder/weighted.mtx") inputs=(--input "features=$folder/features.npy")
  [ "$name" = gcn ] || inputs+=(--input "edge_features=$folder/edge_features.npy")
  room=(--dim nodes=33 --dim edges=140)
fi
labels=(--input "labels=$folder/labels.npy")
parameters=(--parameters "$reference.safetensors")

outputs() { # PLAN [OPTION...]
  "$run" "$1" "${@:2}" "${inputs[@]}" "${parameters[@]}" --output-dir out --verify
  /usr/bin/python3 -c 'import numpy as np; np.save("logits.npy", np.load("out/logits.npy")[:30])'
  "$compare" logits.npy "${reference}_logits.npy"
}
steps() { # [OPTION...]
  "$run" plan "$@" "${inputs[@]}" "${labels[@]}" "${parameters[@]}" --steps 5 --verify --metrics metrics.json \
    --save-parameters trained.safetensors
  "$matches" metrics.json "${reference}_losses.npy" trained.safetensors "${reference}_parameters"
}
for gpus in 1 2 3 4; do
  "$smexc" model.json "${graphs[@]}" --gpus $gpus --cuda-arch none -o eval
  "$smexc" check eval
  outputs eval
  "$smexc" model.json "${graphs[@]}" --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  steps

  "$smexc" model.json "${room[@]}" --gpus $gpus --cuda-arch none -o eval
  "$smexc" check eval
  outputs eval "${graphs[@]}"
  "$smexc" model.json "${room[@]}" --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  for sample in "" "--sample 90,90 --batch 30" "--sample=-1,-1 --batch 33 --seed 7"; do
    # shellcheck disable=SC2086
    steps "${graphs[@]}" $sample
  done
  samples=("--sample 2,3")
  [[ $name = hetero-* ]] || samples+=("--walk 4")
  for sample in "${samples[@]}"; do
    # shellcheck disable=SC2086
    "$run" plan "${graphs[@]}" "${inputs[@]}" "${labels[@]}" "${parameters[@]}" $sample --batch 5 --seed 2 --steps 6 \
      --verify --metrics "$gpus.${sample:2:4}.json"
  done
done
/usr/bin/python3 - << 'PY'
import glob
import json
import numpy as np
for file in glob.glob("[1234].*.json"):
    mine, one = ([step["loss"] for step in json.load(open(name, encoding="utf-8"))["steps"]] for name in (file, "1" + file[1:]))
    np.testing.assert_allclose(mine, one, rtol=1e-5, err_msg=file)
PY

# With as many numbers as the graph has edges in another order, results differ:
# what was compared above says something of the order.
[ "$name" = gcn ] || /usr/bin/python3 - "${inputs[@]}" << 'PY'
import sys
import numpy as np
for word in sys.argv[1:]:
    name, _, file = word.partition("=")
    if name == "edge_features" or name.endswith("/features"):
        np.save(file.rsplit("/", 1)[1], np.load(file)[::-1])
PY
if [ "$name" != gcn ]; then
  "$run" eval "${graphs[@]}" "${inputs[@]}" "${parameters[@]}" --output-dir right
  for i in "${!inputs[@]}"; do
    file=${inputs[i]##*/}
    if [ -f "$file" ]; then inputs[i]=${inputs[i]%%=*}=$file; fi
  done
  "$run" eval "${graphs[@]}" "${inputs[@]}" "${parameters[@]}" --output-dir wrong
  if "$compare" wrong/logits.npy right/logits.npy; then
    echo "features of edges in another order give the same"
    exit 1
  fi
fi
