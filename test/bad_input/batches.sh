#!/bin/bash
# Batches of graphs, for each of which a model has a result: what does not fit,
# declarations that make no sense.
# usage: batches.sh SMEX_ZOO SMEXC SMEX_RUN
set -uo pipefail
source "$(dirname "$0")/gives.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$zoo" gin --features 3 --hidden 2 --classes 2 --readout mean -o model.json > /dev/null || complain "a model"
printf '0 1\n1 2\n' > path
printf '0 1\n' > edge
printf '0 1\n2 3\n4 4\n' > three
train=(--train --loss cross_entropy --optimizer sgd --lr 0.1)
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
for rows in (2, 3, 5, 7):
    np.save(f"x{rows}.npy", np.zeros((rows, 3), np.float32))
    np.save(f"labels{rows}.npy", np.zeros(rows, np.int64))
np.save("of.npy", np.array([0, 0, 0, 1, 2, -1, 3]))
np.save("to.npy", np.array([1, 2, 2, 2]))
PY

# When compiled.
gives 1 'dimensions without a value: "graphs" \(of "graph_of"\); bind them with --dim graphs=N$' \
  "$smexc" model.json --dim nodes=7 --dim edges=4 --gpus 1 -o no
gives 1 '--dim graphs=3 contradicts .* --graph, where it is 2$' \
  "$smexc" model.json --graph path --graph edge --dim graphs=3 --gpus 1 -o no
gives 1 '--dim graphs=1: the sample has 2 graphs$' \
  "$smexc" model.json --graph path --graph edge --graph-room 0.1 --dim graphs=1 --gpus 1 -o no
gives 1 'none: cannot open' "$smexc" model.json --graph path --graph none --gpus 1 -o no
declared() { # MESSAGE FROM TO: replaces text of the model
  sed "s/$2/$3/" model.json > changed.json
  gives 1 "changed.json: $1" "$smexc" changed.json --dim nodes=7 --dim edges=4 --dim graphs=3 --gpus 1 -o no
}
declared 'graph: "graphs" must be the name of a dimension, and "graph_of" .* both, or none' ',"graph_of":"graph_of"' ''
declared 'graph: "graphs" must be a dimension of its own, and "nodes" is' '"graphs":"graphs"' '"graphs":"nodes"'
declared 'graph.graphs: ' '"graphs":"graphs"' '"graphs":7'
declared 'input "sources" is there twice' '"graph_of":"graph_of"' '"graph_of":"sources"'
declared 'node "readout" .*: attribute "graphs": the model has no dimension "rows"$' '"dimension":"graphs"' '"dimension":"rows"'
[[ ! -e no ]] || complain "a plan was written"

# When run: a plan for 7 nodes and 3 graphs.
"$smexc" model.json --dim nodes=7 --dim edges=4 --dim graphs=3 --gpus 2 "${train[@]}" -o plan > /dev/null || complain "a plan"
ran() { # MESSAGE OPTION...
  gives 1 "$1" "$run" plan "${@:2}"
}
both=(--graph path --graph edge)
for labels in 2 3; do
  "$run" plan "${both[@]}" --input features=x5.npy --input labels=labels$labels.npy --verify > /dev/null || complain "$labels labels"
done
ran 'input "labels": labels5.npy is i64\[5\], i64\[3\] expected, or i64\[2\], a row per graph of path and 1 more$' \
  "${both[@]}" --input features=x5.npy --input labels=labels5.npy
ran 'input "features": x2.npy is f32\[2, 3\], f32\[7, 3\] expected, or f32\[5, 3\], a row per node of path and 1 more$' \
  "${both[@]}" --input features=x2.npy --input labels=labels2.npy
ran 'edge and 3 more: has 8 nodes, and the plan has room for 7: ' --graph edge --graph edge --graph edge --graph edge
: > empty
ran 'empty and 3 more: has 4 graphs, and the plan has room for 3: compile it with --dim graphs=4 or more$' \
  --graph empty --graph empty --graph empty --graph edge
"$run" plan --graph empty --graph edge --verify > /dev/null || complain "a graph without nodes"
ran 'input "graph_of" is given twice$' "${both[@]}" --input graph_of=of.npy
ran 'input "graph_of" is missing: add --graph FILE, or --input graph_of=FILE' \
  --input features=x7.npy --input labels=labels3.npy --input sources=to.npy --input destinations=to.npy
"$run" plan --input features=x7.npy --input labels=labels3.npy --input sources=to.npy --input destinations=to.npy \
  --input graph_of=of.npy > /dev/null || complain "graphs as an input"

# Parts.
ran 'input "labels": labels2.npy is i64\[2\], and i64\[3\] is expected, a row per graph of three$' \
  --graph three --parts 1 --input features=x5.npy --input labels=labels2.npy
"$run" plan --graph three --parts 2 --input features=x5.npy --input labels=labels3.npy --steps 3 --verify > /dev/null || complain "parts"
printf '0 0\n1 1\n2 2\n3 3\n' > alone
ran '--parts 4: the plan has room for 3 graphs: compile it with --dim graphs=4 or more, or take fewer$' --graph alone --parts 4
ran "--sample: the plan's model has results for whole graphs: take --parts, or the graphs themselves\$" \
  --graph three --sample 2,2 --batch 1
ran "--walk: the plan's model has results for whole graphs: " --graph three --walk 2 --batch 1

# A model that reads what each node's graph has: nodes must be of some graph.
cat > reads.json << 'JSON'
{"format": "smex-model", "version": 1,
 "graph": {"nodes": "n", "edges": "e", "sources": "src", "destinations": "dst", "graphs": "g", "graph_of": "of"},
 "inputs": [{"name": "x", "type": "f32", "shape": ["n", 2]}, {"name": "z", "type": "f32", "shape": ["g", 2]}],
 "nodes": [{"op": "at_ends", "inputs": ["x", "src"], "outputs": ["m"]},
           {"op": "sum_messages", "inputs": ["m", "dst", "x"], "outputs": ["s"]},
           {"op": "at_ends", "inputs": ["z", "of"], "outputs": ["own"]},
           {"op": "Add", "inputs": ["s", "own"], "outputs": ["y"]}],
 "outputs": ["y"]}
JSON
"$smexc" reads.json --dim n=7 --dim e=4 --dim g=2 --gpus 2 -o reads > /dev/null || complain "a model that reads"
gives 1 "path and 1 more: has all of the plan.s 2 graphs, and 2 nodes fewer than the plan, .*: compile it with --dim graphs=3$" \
  "$run" reads "${both[@]}"
"$run" reads --graph path --verify > /dev/null || complain "a spare graph"
exit $failed
