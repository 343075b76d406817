#!/bin/bash
# A graph network of the zoo on users and items: outputs, losses and parameters
# are those of plain PyTorch, on several numbers of workers; outputs also where
# the graphs come with the inputs.
# usage: hetero.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER NAME [SIZES...]
set -euo pipefail
zoo=$1 smexc=$2 smex_run=$3 compare=$4 matches=$5 folder=$6 name=$7
shift 7
work=${TEST_TMPDIR:-$(mktemp -d)}

"$zoo" "$name" "$@" -o "$work/model.json"
graphs=()
for relation in follows rates rated_by; do
  graphs+=(--graph "$relation=$folder/$relation.mtx")
done
inputs=(--input "users=$folder/features.npy" --input "items=$folder/items.npy")
for gpus in 1 2 3 4 8; do
  "$smexc" "$work/model.json" "${graphs[@]}" --gpus $gpus --cuda-arch none -o "$work/eval"
  "$smexc" check "$work/eval"
  "$smex_run" "$work/eval" "${inputs[@]}" --parameters "$folder/$name.safetensors" --output-dir "$work/out" --verify
  "$compare" "$work/out/logits.npy" "$folder/${name}_logits.npy"

  "$smexc" "$work/model.json" "${graphs[@]}" --gpus $gpus --cuda-arch none -o "$work/plan" \
    --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" "${inputs[@]}" --input labels="$folder/labels.npy" \
    --parameters "$folder/$name.safetensors" --steps 5 --verify --metrics "$work/metrics.json" \
    --save-parameters "$work/trained.safetensors"
  "$matches" "$work/metrics.json" "$folder/${name}_losses.npy" "$work/trained.safetensors" "$folder/${name}_parameters"
done

# The order of --graph makes no difference.
"$smexc" "$work/model.json" "${graphs[@]}" --gpus 3 --cuda-arch none -o "$work/one"
"$smexc" "$work/model.json" "${graphs[@]:4}" "${graphs[@]:0:4}" --gpus 3 --cuda-arch none -o "$work/other"
diff -r "$work/one" "$work/other"

# Plans with room for graphs, which come when they run: as many nodes and edges
# as there are, and more of them, between which spare edges are.
edges() { sed -n 2p "$folder/$1.mtx" | cut -d ' ' -f 3; }
room() { # OF_NODES OF_EDGES
  echo "--dim users=$((30 + $1)) --dim items=$((17 + $1))"
  for relation in follows rates rated_by; do
    echo "--dim ${relation}_edges=$(($(edges $relation) + $2))"
  done
}
own_rows() {
  /usr/bin/python3 -c 'import sys, numpy as np; np.save(sys.argv[2], np.load(sys.argv[1])[:30])' "$work/out/logits.npy" "$work/logits.npy"
  "$compare" "$work/logits.npy" "$folder/${name}_logits.npy"
}
for more in "0 0" "3 11"; do
  # shellcheck disable=SC2046,SC2086
  "$smexc" "$work/model.json" $(room $more) --gpus 3 --cuda-arch none -o "$work/any"
  "$smexc" check "$work/any"
  "$smex_run" "$work/any" "${graphs[@]}" "${inputs[@]}" --parameters "$folder/$name.safetensors" --output-dir "$work/out" --verify
  own_rows
  # shellcheck disable=SC2046,SC2086
  "$smexc" "$work/model.json" $(room $more) --gpus 2 --cuda-arch none -o "$work/plan" \
    --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
  "$smex_run" "$work/plan" "${graphs[@]}" "${inputs[@]}" --input labels="$folder/labels.npy" \
    --parameters "$folder/$name.safetensors" --steps 5 --verify --metrics "$work/metrics.json" \
    --save-parameters "$work/trained.safetensors"
  "$matches" "$work/metrics.json" "$folder/${name}_losses.npy" "$work/trained.safetensors" "$folder/${name}_parameters"
done

# Edges as inputs, the other way round.
/usr/bin/python3 - "$folder" "$work" << 'PY'
import sys
import numpy as np
for relation in ("follows", "rates", "rated_by"):
    with open(f"{sys.argv[1]}/{relation}.mtx", encoding="utf-8") as file:
        edges = np.loadtxt(file.readlines()[2:], dtype=np.int64) - 1
    for column, end in enumerate(("sources", "destinations")):
        np.save(f"{sys.argv[2]}/{relation}_{end}.npy", edges[::-1, column].copy())
PY
# shellcheck disable=SC2046
"$smexc" "$work/model.json" $(room 0 0) --gpus 3 --cuda-arch none -o "$work/any"
for relation in follows rates rated_by; do
  for end in sources destinations; do
    inputs+=(--input "$relation/$end=$work/${relation}_$end.npy")
  done
done
"$smex_run" "$work/any" "${inputs[@]}" --parameters "$folder/$name.safetensors" --output-dir "$work/out" --verify
"$compare" "$work/out/logits.npy" "$folder/${name}_logits.npy"
