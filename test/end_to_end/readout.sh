#!/bin/bash
# A graph network with a result for each graph of a batch: outputs, losses and
# parameters are those of plain PyTorch, on several numbers of workers; with
# graphs that the plan is made for, in a plan with room for more, with the parts
# of one graph, in a plan made from a sample.
# usage: readout.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER READOUT [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 compare=$PWD/$4 matches=$PWD/$5 folder=$PWD/$6 readout=$7
shift 7
cd "${TEST_TMPDIR:-$(mktemp -d)}"

name=gin-$readout
"$zoo" gin --readout "$readout" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
inputs=(--input features="$folder/features.npy" --parameters "$folder/$name.safetensors")
labels=(--input labels="$folder/graph_labels.npy" --metrics metrics.json)
files=()
for graph in 0 1 2 3 4 5; do
  files+=(--graph "$folder/batch/$graph.mtx")
done
/usr/bin/python3 - "$folder" << 'PY'
import sys
import numpy as np
labels = np.load(f"{sys.argv[1]}/graph_labels.npy")
np.save("padded.npy", np.pad(labels, (0, 3), constant_values=-1))
np.save("steps.npy", np.tile(labels, (5, 1)))
PY
own_rows() {
  /usr/bin/python3 -c 'import numpy as np; np.save("logits.npy", np.load("out/logits.npy")[:6])'
  "$compare" logits.npy "$folder/${name}_logits.npy"
}
learns() { # PLAN OPTION...
  "$run" "$1" "${inputs[@]}" "${labels[@]}" --steps 5 --verify --save-parameters trained.safetensors "${@:2}"
  "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
}
for gpus in 1 2 3; do
  # The plan's own graphs.
  "$smexc" model.json "${files[@]}" --gpus $gpus --cuda-arch none -o eval
  "$smexc" check eval
  "$run" eval "${inputs[@]}" --output-dir out --verify
  "$compare" out/logits.npy "$folder/${name}_logits.npy"
  "$smexc" model.json "${files[@]}" --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  learns plan

  # Room for more graphs and nodes; for more nodes alone, which are of none then.
  for room in "9 40" "6 33"; do
    read -r graphs nodes <<< "$room"
    options=(--dim graphs="$graphs" --dim nodes="$nodes" --dim edges=70 --gpus $gpus --cuda-arch none)
    "$smexc" model.json "${options[@]}" -o eval
    "$smexc" check eval
    grep -q '"graph_of"' eval/program.json
    "$run" eval "${files[@]}" "${inputs[@]}" --output-dir out --verify
    own_rows
    "$smexc" model.json "${options[@]}" -o plan "${training[@]}"
    "$smexc" check plan
    learns plan "${files[@]}"
    # Each part of a graph is one, in any order.
    learns plan --graph "$folder/batch.mtx" --parts 6 --seed 3
  done

  "$smexc" model.json --graph "$folder/batch.mtx" --graph-room 0.25 --dim graphs=9 --gpus $gpus --cuda-arch none -o plan "${training[@]}"
  "$smexc" check plan
  learns plan "${files[@]}"
  for other in padded steps; do # as many rows as the plan; a batch for each step
    labels[1]=labels=$other.npy
    learns plan "${files[@]}"
  done
  labels[1]=labels=$folder/graph_labels.npy
  learns plan --graph "$folder/batch.mtx" --parts 9

  # Some parts in each step: the same for any number of workers, and after a pause.
  some() { # STEPS FILE [OPTION...]
    "$run" plan "${inputs[@]}" "${labels[@]}" --graph "$folder/batch.mtx" --parts 4 --seed 5 --steps "$1" \
      --save-parameters "$2" "${@:3}"
  }
  some 7 whole.safetensors --verify
  mv metrics.json $gpus.json
  some 4 rest.safetensors --checkpoint-dir checkpoints$gpus
  rm rest.safetensors
  some 7 rest.safetensors --checkpoint-dir checkpoints$gpus --resume
  cmp rest.safetensors whole.safetensors
done
/usr/bin/python3 - << 'PY'
import json
import numpy as np
losses = [[step["loss"] for step in json.load(open(f"{gpus}.json"))["steps"]] for gpus in (1, 2, 3)]
assert len(set(losses[0])) == 7
for mine in losses:
    np.testing.assert_allclose(mine, losses[0], rtol=1e-5)
PY
