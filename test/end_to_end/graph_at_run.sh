#!/bin/bash
# A plan with room for a graph: smex-run binds one that is smaller. What its
# own nodes get is what PyTorch says, whatever fills the plan up; and another
# graph needs no other plan.
# usage: graph_at_run.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER EDGES REFERENCE COMMAND...
# REFERENCE: whose results FOLDER has; COMMAND: the zoo's.
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 compare=$PWD/$4 matches=$PWD/$5 folder=$PWD/$6 edges=$PWD/$6/$7 name=$8
shift 8
cd "${TEST_TMPDIR:-$(mktemp -d)}"


"$zoo" "$@" -o model.json
# With spare nodes, spare edges are between these; without, they lead to none,
# which is for models that only compare destinations.
rooms="33"
[ "$name" = gcn ] && rooms="33 30"
for nodes in $rooms; do
  /usr/bin/python3 - "$folder" "$nodes" << 'PY'
import sys
import numpy as np
folder, nodes = sys.argv[1], int(sys.argv[2])
for name, fill in [("features", 0), ("labels", -1)]:
    values = np.load(f"{folder}/{name}.npy")
    axis = values.ndim - (2 if name == "features" else 1)
    more = [(0, nodes - values.shape[axis] if i == axis else 0) for i in range(values.ndim)]
    np.save(f"{name}.npy", np.pad(values, more, constant_values=fill))
PY
  for gpus in 1 2 3 8; do
    "$smexc" model.json --dim nodes=$nodes --dim edges=140 --gpus $gpus --cuda-arch none -o eval
    "$smexc" check eval
    grep -q '"derivation": "offsets"' eval/program.json # reduced over segments
    "$run" eval --graph "$edges" --input features=features.npy \
      --parameters "$folder/$name.safetensors" --output-dir out --verify
    /usr/bin/python3 -c 'import numpy as np; np.save("logits.npy", np.load("out/logits.npy")[:30])'
    "$compare" logits.npy "$folder/${name}_logits.npy"

    "$smexc" model.json --dim nodes=$nodes --dim edges=140 --gpus $gpus --cuda-arch none -o plan \
      --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
    "$smexc" check plan
    grep -q '"derivation": "offsets"' plan/program.json
    "$run" plan --graph "$edges" --input features=features.npy --input labels=labels.npy \
      --parameters "$folder/$name.safetensors" --steps 5 --verify --metrics metrics.json \
      --save-parameters trained.safetensors
    "$matches" metrics.json "$folder/${name}_losses.npy" trained.safetensors "$folder/${name}_parameters"
  done
done

# Several graphs are one: rows of features, and of results, side by side.
printf '0 1\n2 1\n' > first.txt
printf '1 0\n3 0\n3 3\n' > second.txt
printf '0 1\n2 1\n4 3\n6 3\n6 6\n' > union.txt
for graphs in "--graph first.txt --graph second.txt" "--graph union.txt"; do
  # shellcheck disable=SC2086
  "$run" eval $graphs --input features=features.npy --parameters "$folder/$name.safetensors" --output-dir out
  mv out/logits.npy "$(wc -w <<< "$graphs").npy"
done
cmp 4.npy 2.npy

# Another graph, in the last of these plans and in one of its own.
printf '0 29\n29 0\n4 4\n5 6\n5 6\n' > other.txt
"$run" eval --graph other.txt --input features=features.npy --parameters "$folder/$name.safetensors" --output-dir out
/usr/bin/python3 -c 'import numpy as np; np.save("logits.npy", np.load("out/logits.npy")[:30])'
"$smexc" model.json --graph other.txt --gpus 2 --cuda-arch none -o own
"$run" own --input features="$folder/features.npy" --parameters "$folder/$name.safetensors" --output-dir out
"$compare" logits.npy out/logits.npy
