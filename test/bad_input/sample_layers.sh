#!/bin/bash
# Samples of each layer's own, and nodes that are given, which make no sense:
# one message each.
# usage: sample_layers.sh SMEX_ZOO SMEXC SMEX_RUN PLAIN_MODEL
set -uo pipefail
source "$(dirname "$0")/gives.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 plain=$PWD/$4
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$zoo" sage --layers 2 --features 3 --hidden 2 --classes 2 -o sage.json > /dev/null || complain "a model"
printf '0 1\n1 2\n2 0\n0 2\n3 1\n' > graph
room=(--dim nodes=4 --dim edges=5)

compiled() { # STATUS MESSAGE OPTION...
  gives "$1" "$2" "$smexc" sage.json --gpus 2 -o no "${@:3}"
}
compiled 1 'sage.json: --sample-layers: 3 numbers, and the network passes messages in 2 layers, one after the other: give a number for each$' \
  "${room[@]}" --sample-layers 2,2,2 --batch 1
compiled 1 'sage.json: --sample-layers: 1 number, and the network passes messages in 2 layers' \
  "${room[@]}" --sample-layers 2 --batch 1
for numbers in 2,0 2,-2 2,x 2,; do
  compiled 2 '--sample-layers: ".*" is no number of neighbours: give one for each layer, from 1 up, or -1' \
    "${room[@]}" --sample-layers "$numbers" --batch 1
done
compiled 2 '--sample-layers 3,3: is given twice$' "${room[@]}" --sample-layers 2,2 --sample-layers 3,3 --batch 1
compiled 1 'sage.json: --sample-layers cites=..: the model has no graph "cites"; its only one has no name$' \
  "${room[@]}" --sample-layers 2,2 --sample-layers cites=1,1 --batch 1
compiled 2 '--sample-layers' "${room[@]}" --sample-layers --batch 1
compiled 2 '--sample-layers requires --batch' "${room[@]}" --sample-layers 2,2
compiled 2 '--batch requires --sample-layers' "${room[@]}" --batch 1
compiled 2 '(--sample-layers excludes --graph|--graph excludes --sample-layers)' --graph graph --sample-layers 2,2 --batch 1
compiled 1 'dimensions without a value: .*--dim edges=N' --sample-layers 2,2 --batch 1
gives 1 'has no graph to sample; a model says which of its inputs are one' \
  "$smexc" "$plain" --sample-layers 2 --batch 1 --gpus 2 -o no
"$zoo" gin --readout sum --features 3 --hidden 2 --classes 2 -o gin.json > /dev/null || complain "a model of graphs"
gives 1 'gin.json: --sample-layers: the model has results for whole graphs, and samples are for nodes: compile it without --sample-layers, and run it on whole graphs, several --graph or --parts$' \
  "$smexc" gin.json "${room[@]}" --dim graphs=2 --sample-layers 2,2 --batch 1 --gpus 2 -o no
[[ ! -e no ]] || complain "a plan was written"

"$smexc" sage.json "${room[@]}" --sample-layers 2,2 --batch 2 --gpus 2 -o plan > /dev/null || complain "layers"
"$smexc" sage.json "${room[@]}" --gpus 2 -o alike > /dev/null || complain "layers with the same edges"
"$smexc" sage.json "${room[@]}" --sample-layers 2,2 --batch 2 --gpus 2 --train --loss cross_entropy --optimizer sgd \
  --lr 0.1 -o trained > /dev/null || complain "layers to train"
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("nodes.npy", np.array([3, 1]))
np.save("beyond.npy", np.array([3, 4]))
np.save("twice.npy", np.array([3, 3]))
np.save("floats.npy", np.zeros(2, np.float32))
np.save("many.npy", np.arange(5))
PY
ran() { # STATUS MESSAGE OPTION...
  gives "$1" "$2" "$run" plan "${@:3}"
}
given=(--graph graph --nodes nodes.npy)
"$run" plan "${given[@]}" --sample-layers 2,2 --verify > /dev/null || complain "a sample for nodes"
printf '0 1\n1 2\n2 0\n3 1\n' > few
"$run" plan --graph few --verify > /dev/null || complain "a whole graph for both layers"
ran 1 'graph: has 5 edges, and the plan has room for 4: compile it with --dim edges=5 or more$' --graph graph
"$run" trained --graph graph --sample-layers 2,2 --batch 2 --steps 3 --verify > /dev/null || complain "training"
ran 1 '--sample-layers: 3 numbers, and the plan has 2 layers: give a number for each$' "${given[@]}" --sample-layers 2,2,2
ran 1 '--sample-layers: 1 number, and the plan has 2 layers: give a number for each$' "${given[@]}" --sample-layers 2
for numbers in 2,0 2,-2 2,x 2,; do
  ran 2 '--sample-layers: ".*" is no number of neighbours: give one for each layer, from 1 up, or -1' \
    "${given[@]}" --sample-layers "$numbers"
done
ran 2 '--sample-layers 2: is given twice$' "${given[@]}" --sample-layers 1 --sample-layers 2
ran 1 '--sample-layers cites=..: the plan has no graph "cites"; its only one has no name$' \
  "${given[@]}" --sample-layers 2,2 --sample-layers cites=1,1
ran 2 '--sample-layers requires --graph' --nodes nodes.npy --sample-layers 2,2
ran 2 '--sample-layers requires --batch or --nodes' --graph graph --sample-layers 2,2
ran 2 '--nodes requires --sample, --sample-layers or --walk' "${given[@]}"
ran 2 '(--nodes excludes --batch|--batch excludes --nodes)' "${given[@]}" --sample-layers 2,2 --batch 1
ran 2 '(--sample-layers excludes --sample|--sample excludes --sample-layers)' "${given[@]}" --sample-layers 2,2 --sample 2,2
ran 1 "--sample: the layers of the plan's model have edges of their own: take --sample-layers$" "${given[@]}" --sample 2,2
ran 1 "--walk: the layers of the plan's model have edges of their own: take --sample-layers$" --graph graph --walk 2 --batch 1
ran 1 '--importance: layer 1 of the plan.s model does not read the numbers of edges' "${given[@]}" --sample-layers 2,2 --importance
ran 2 '--importance requires --sample-layers' "${given[@]}" --sample 2,2 --importance
ran 1 '--sample-layers: the plan has no labels of nodes' --graph graph --sample-layers 2,2 --batch 1
gives 1 "--sample-layers: all layers of the plan's model have the same edges: compile it with --sample-layers, or take --sample$" \
  "$run" alike "${given[@]}" --sample-layers 2,2
"$run" alike "${given[@]}" --sample 1,2 --verify > /dev/null || complain "a sample of all layers for nodes"
nodes() { # MESSAGE FILE
  ran 1 "$1" --graph graph --sample-layers 2,2 --nodes "$2"
}
nodes 'node 4 is not there: the graph has 4, numbered from 0$' beyond.npy
nodes 'node 3 occurs twice; give each once$' twice.npy
nodes '--nodes: floats.npy is f32\[2\], i64\[nodes\] expected$' floats.npy
nodes '--nodes: 5 nodes, and the plan has room for 4 nodes: ' many.npy
nodes '--nodes: .*none.npy' none.npy
# More than the plan has room for: it was compiled for two nodes.
printf '0 1\n1 1\n2 1\n3 1\n2 1\n' > graph
ran 1 'graph: a sample for 2 nodes, .* edges in all: has [0-9]+ edges, and the plan has room for 4: ' \
  "${given[@]}" --sample-layers=-1,-1

# Losses that the model computes.
cat > given.json << 'JSON'
{"format": "smex-model", "version": 1, "opset": 17,
 "graph": {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"},
 "inputs": [{"name": "x", "type": "f32", "shape": ["nodes"]}, {"name": "rows", "type": "i64", "shape": ["nodes"]}],
 "parameters": [{"name": "w", "type": "f32", "shape": [1], "drawn": 1}],
 "nodes": [{"op": "at_ends", "inputs": ["x", "src"], "outputs": ["m"]},
           {"op": "sum_messages", "inputs": ["m", "dst", "x"], "outputs": ["h"]},
           {"op": "Mul", "inputs": ["h", "w"], "outputs": ["y"]},
           {"op": "Cast", "inputs": ["rows"], "outputs": ["k"], "attributes": {"to": {"type": "f32"}}},
           {"op": "Mul", "inputs": ["y", "k"], "outputs": ["t"]},
           {"op": "ReduceSum", "inputs": ["t"], "outputs": ["loss"], "attributes": {"keepdims": 0}}],
 "outputs": ["loss"]}
JSON
step=(--train --loss given:loss --optimizer sgd --lr 0.1)
gives 1 '--counted: the model computes its loss, and has no input "counted" to say which rows count in it: ' \
  "$smexc" given.json "${room[@]}" "${step[@]}" --counted --gpus 2 -o no
gives 1 '--counted: input "x" is f32\[4\]: integers are needed, 1 or 0 for each row$' \
  "$smexc" given.json "${room[@]}" "${step[@]}" --counted=x --gpus 2 -o no
"$smexc" given.json "${room[@]}" "${step[@]}" --gpus 2 -o given > /dev/null || complain "a loss of the model"
printf '0 1\n1 2\n2 0\n3 1\n' > graph
/usr/bin/python3 -c 'import numpy as np; np.save("x.npy", np.ones(4, np.float32)); np.save("none.npy", np.zeros(4, np.int64)); np.save("two.npy", 2 + np.zeros(4, np.int64))'
gives 1 '--sample: nothing tells the plan which nodes or edges are a batch.s, .*, with --counted=NAME of an input by which the loss leaves out the others$' \
  "$run" given --graph graph --sample 2 --batch 2
"$smexc" given.json "${room[@]}" "${step[@]}" --counted=rows --gpus 2 -o given > /dev/null || complain "rows that count"
"$run" given --graph graph --input x=x.npy --sample 2 --batch 2 --verify > /dev/null || complain "all rows count"
gives 1 '--sample: no node has a label that counts: all are 0$' \
  "$run" given --graph graph --input x=x.npy --input rows=none.npy --sample 2 --batch 2
gives 1 'input "rows": two.npy: element \[0\] is 2, 1 to 1, or 0, allowed$' \
  "$run" given --graph graph --input x=x.npy --input rows=two.npy --sample 2 --batch 2
gives 1 'node 3 occurs twice; give each once$' "$run" alike --graph graph --walk 2 --nodes twice.npy
ran 2 '--nodes requires --sample, --sample-layers or --walk' --graph graph --nodes nodes.npy

# Several graphs.
"$zoo" hetero-sage --features 3 --item-features 2 --hidden 2 --classes 2 -o hetero.json > /dev/null || complain "a model"
"$smexc" hetero.json --dim users=4 --dim items=4 --dim rates_edges=5 --dim rated_by_edges=5 --dim follows_edges=5 \
  --sample-layers 2,2 --batch 2 --gpus 2 -o hetero > /dev/null || complain "layers of several graphs"
uncompiled() { # MESSAGE OPTION...
  gives 1 "$1" "$smexc" hetero.json --dim users=4 --dim items=4 --dim rates_edges=5 --dim rated_by_edges=5 \
    --dim follows_edges=5 --batch 2 --gpus 2 -o no "${@:2}"
}
uncompiled '--sample-layers cites=..: the model has no graph "cites"; it has "rates", "rated_by", "follows"$' \
  --sample-layers 2,2 --sample-layers cites=1,1
uncompiled '--sample-layers: graph "rated_by" has no numbers: add --sample-layers rated_by=N,N,..$' --sample-layers rates=2,2
several=(--graph rates=graph --graph rated_by=graph --graph follows=graph)
hetero() { # MESSAGE OPTION...
  gives 1 "$1" "$run" hetero "${several[@]}" "${@:2}"
}
"$run" hetero "${several[@]}" --nodes users=nodes.npy --sample-layers 2,2 --sample-layers rates=1,1 --verify > /dev/null ||
  complain "a sample of several graphs"
hetero '--sample-layers cites=..: the plan has no graph "cites"; it has "rates", "rated_by", "follows"$' \
  --nodes users=nodes.npy --sample-layers 2,2 --sample-layers cites=1,1
hetero '--sample-layers: graph "rated_by" has no numbers: add --sample-layers rated_by=N,N,..$' \
  --nodes users=nodes.npy --sample-layers rates=2,2
hetero '--nodes FILE: give it as TYPE=FILE, with a type of nodes: ' --nodes nodes.npy --sample-layers 2,2
hetero '--importance: the plan has 3 graphs' --nodes users=nodes.npy --sample-layers 2,2 --importance
exit $failed
