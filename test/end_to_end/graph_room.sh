#!/bin/bash
# A model that handles nodes in groups, compiled with a sample and room for
# others: what it gives on the sample is what PyTorch says; on other graphs, and
# batches of them, what a plan that is made for each gives, to the bit, in
# evaluation and in training.
# usage: graph_room.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER EDGES REFERENCE COMMAND...
# REFERENCE: whose results FOLDER has; COMMAND: the zoo's.
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 compare=$PWD/$4 matches=$PWD/$5 folder=$PWD/$6 edges=$PWD/$6/$7 name=$8
shift 8
cd "${TEST_TMPDIR:-$(mktemp -d)}"

input=features
[ "$name" = treelstm ] && input=words
"$zoo" "$@" -o model.json
training=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4)
parameters=(--parameters "$folder/$name.safetensors")

/usr/bin/python3 - "$name" "$folder/$input.npy" << 'PY'
import sys
import numpy as np
name, features = sys.argv[1], np.load(sys.argv[2])
random = np.random.default_rng(7)
for graph in range(4):
    nodes = int(random.integers(16, 30) if graph < 2 else random.integers(8, 15))
    with open(f"{graph}.txt", "w", encoding="utf-8") as file:
        for v in range(nodes - 1):  # a forest: parents come after their children
            if name != "treelstm":
                for u in random.integers(nodes, size=random.integers(6)):
                    file.write(f"{u} {v}\n")
            elif random.random() < 0.9 or v == nodes - 2:
                file.write(f"{v} {random.integers(max(v + 1, nodes * 2 // 3), nodes)}\n")
        if name != "treelstm":
            file.write(f"0 {nodes - 1}\n")
    rows = features[random.integers(len(features), size=nodes)]
    np.save(f"{graph}.npy", rows)
    np.save(f"{graph}.labels.npy", random.integers(-1, 4, size=nodes))
join = lambda kind: np.concatenate([np.load(f"{graph}{kind}.npy") for graph in (2, 3)])
np.save("both.npy", join(""))
np.save("both.labels.npy", join(".labels"))
PY
rows() { # OUTPUT NODES FILE: the first rows
  /usr/bin/python3 -c 'import sys, numpy as np; np.save(sys.argv[3], np.load(sys.argv[1])[:int(sys.argv[2])])' "$@"
}
nodes() {
  /usr/bin/python3 -c 'import sys, numpy as np; print(len(np.load(sys.argv[1])))' "$1"
}

# Where sums may be split, results are the same but for rounding.
same() {
  if [ "$gpus" = 3 ]; then "$compare" "$@"; else cmp "$@"; fi
}
# Layers that have mailboxes of their own, for no more messages than each may
# sample: of all edges, PyTorch's again. In samples nodes have other numbers, and
# with them messages an order that an LSTM sees.
layers() {
  local most
  most=$(awk '!/^%/ && seen++ { d[$2]++; if (d[$2] > most) most = d[$2] } END { print most }' "$edges")
  options=(--dim nodes=33 --dim edges=140 --sample-layers "$most,$most" --batch 33 --gpus $gpus --cuda-arch none)
  "$smexc" model.json "${options[@]}" -o layers "${training[@]}"
  [ "$name" = sage-lstm ] || "$smexc" check layers # of so many cells it takes seconds
  local samples=("") sample
  [ "$name" = sage-lstm ] || samples+=("--sample-layers $most,$most --batch 33 --seed 7")
  for sample in "${samples[@]}"; do
    # shellcheck disable=SC2086
    "$run" layers --graph "$edges" --input "$input=$folder/$input.npy" --input labels="$folder/labels.npy" $sample \
      "${parameters[@]}" --steps 5 --verify --metrics metrics.json --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
}

room=2
case $name in sage-*) room=0.25 ;; esac # wide mailboxes take long to compile

for gpus in 1 2 3; do
  options=(--graph "$edges" --graph-room $room --gpus $gpus --cuda-arch none)
  [ $gpus = 3 ] || options+=(--reproducible)
  "$smexc" model.json "${options[@]}" -o eval
  "$smexc" check eval
  "$run" eval --graph "$edges" --input "$input=$folder/$input.npy" "${parameters[@]}" --output-dir out --verify
  rows out/logits.npy "$(nodes "$folder/$input.npy")" logits.npy
  "$compare" logits.npy "$folder/${name}_logits.npy"
  "$smexc" model.json "${options[@]}" -o plan "${training[@]}"
  "$smexc" check plan
  "$run" plan --graph "$edges" --input "$input=$folder/$input.npy" --input labels="$folder/labels.npy" \
    "${parameters[@]}" --steps 5 --verify --metrics metrics.json --save-parameters trained.safetensors
  "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"

  case $gpus$name in 3sage-lstm | [13]sage-mailbox-median) layers ;; esac

  # One plan, graph after graph, beside one that is made for each.
  for graph in 0 1; do
    "$run" eval --graph $graph.txt --input "$input=$graph.npy" "${parameters[@]}" --output-dir out --verify
    rows out/logits.npy "$(nodes $graph.npy)" $graph.logits.npy
    "$run" plan --graph $graph.txt --input "$input=$graph.npy" --input labels=$graph.labels.npy "${parameters[@]}" \
      --steps 3 --verify --metrics $graph.json
    [ $gpus = 1 ] || continue
    "$smexc" model.json --graph $graph.txt --gpus 1 --cuda-arch none --reproducible -o own
    "$run" own --input "$input=$graph.npy" "${parameters[@]}" --output-dir own_out
    "$smexc" model.json --graph $graph.txt --gpus 1 --cuda-arch none --reproducible -o own "${training[@]}"
    "$run" own --input "$input=$graph.npy" --input labels=$graph.labels.npy "${parameters[@]}" --steps 3 --metrics own.json
    mv own_out/logits.npy own.$graph.npy
    mv own.json own.$graph.json
  done
  for graph in 0 1; do
    same $graph.logits.npy own.$graph.npy
    /usr/bin/python3 - $graph.json own.$graph.json << 'PY'
import json
import sys
mine, own = ([step["loss"] for step in json.load(open(file, encoding="utf-8"))["steps"]] for file in sys.argv[1:])
assert len(mine) == 3 and all(abs(a - b) <= 1e-5 * abs(b) for a, b in zip(mine, own)), (mine, own)
assert mine[2] < mine[0], mine
PY
  done

  # A batch: rows of both.
  "$run" eval --graph 2.txt --graph 3.txt --input "$input=both.npy" "${parameters[@]}" --output-dir out --verify
  rows out/logits.npy "$(nodes both.npy)" batch.npy
  for graph in 2 3; do
    "$run" eval --graph $graph.txt --input "$input=$graph.npy" "${parameters[@]}" --output-dir out
    rows out/logits.npy "$(nodes $graph.npy)" $graph.logits.npy
  done
  /usr/bin/python3 -c '
import numpy as np
np.save("each.npy", np.concatenate([np.load(f"{graph}.logits.npy") for graph in (2, 3)]))'
  same batch.npy each.npy
done

# Parts of a graph, some in each step: the last plan's losses are those of the
# unpartitioned program, others with another seed, the same bits after a pause.
/usr/bin/python3 - "$name" "$folder/$input.npy" << 'PY'
import sys
import numpy as np
name, features = sys.argv[1], np.load(sys.argv[2])
random = np.random.default_rng(3)
with open("parts.txt", "w", encoding="utf-8") as file:
    nodes = 0
    for _ in range(40):  # stars and single nodes
        leaves = int(random.integers(4))
        for leaf in range(leaves):
            file.write(f"{nodes + leaf} {nodes + leaves}\n")
        nodes += leaves + 1
    file.write(f"{nodes} {nodes + 1}\n")
np.save("parts.npy", features[random.integers(len(features), size=nodes + 2)])
np.save("parts.labels.npy", random.integers(-1, 4, size=nodes + 2))
PY
parts() { # SEED STEPS FILE [OPTION...]
  "$run" plan --graph parts.txt --parts 6 --input "$input=parts.npy" --input labels=parts.labels.npy "${parameters[@]}" \
    --seed "$1" --steps "$2" --save-parameters "$3" --metrics parts.json "${@:4}"
}
parts 1 8 first.safetensors --verify
cp parts.json first.json
parts 2 8 other.safetensors
/usr/bin/python3 -c '
import json
one, other = ([step["loss"] for step in json.load(open(file))["steps"]] for file in ("first.json", "parts.json"))
assert len(one) == 8 and len(set(one)) == 8 and one[0] != other[0], (one, other)'
parts 1 5 rest.safetensors --checkpoint-dir checkpoints
rm rest.safetensors
parts 1 8 rest.safetensors --checkpoint-dir checkpoints --resume
cmp rest.safetensors first.safetensors
