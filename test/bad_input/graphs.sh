#!/bin/bash
# Graphs that are none, or not the model's.
# usage: graphs.sh SMEX_ZOO SMEXC SMEX_RUN PLAIN_MODEL
set -uo pipefail
source "$(dirname "$0")/gives.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 plain=$PWD/$4
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$zoo" gcn --features 3 --hidden 2 --classes 2 -o gcn.json > /dev/null || complain "a model"
printf '0 1\n1 2\n' > good.txt
"$smexc" gcn.json --graph good.txt --gpus 2 -o plan > /dev/null || complain "a good graph"

# graph MESSAGE [OPTION...]: of the file `graph`.
graph() {
  gives 1 "$1" "$smexc" gcn.json --graph graph --gpus 2 -o no "${@:2}"
}
rm -f graph; graph 'graph: cannot open'
mkdir graph; graph 'graph: is a folder'
rmdir graph
printf 'a b\n' > graph; graph 'graph:1: must be a row and a column$'
printf '0 1\n2 -7\n' > graph; graph 'graph:2: row 2, column -7: outside of the matrix$'
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n' > graph
graph 'graph: is a matrix of 2 x 3, and a graph has as many rows as columns'
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n' > graph
graph 'graph:3: row 1, column 3: outside of the matrix$'
printf 'PK\003\004nothing' > graph; graph 'graph: is no .npz file'
cp good.txt graph
graph '--dim nodes=4 contradicts .* --graph, where it is 3$' --dim nodes=4
gives 1 'has no graph to bind with --graph' "$smexc" "$plain" --graph good.txt --gpus 2 -o no
gives 1 'dimensions without a value: .*--dim edges=N --dim nodes=N' "$smexc" gcn.json --gpus 2 -o no

# Types of edges: values that are none; declarations that make no sense.
"$zoo" rgcn --features 3 --hidden 2 --classes 2 --relations 2 -o rgcn.json > /dev/null || complain "a model with types"
typed() {
  printf '0 1 0\n1 2 %s\n' "$1" > graph
  gives 1 "graph: the edge from 1 to 2 has the value $2, .* from 0 to 1$" "$smexc" rgcn.json --graph graph --gpus 2 -o no
}
typed 2 2
typed -1 -1
typed 0.5 0.5
typed nan nan
printf '0 1 0\n1 2 1\n' > graph
"$smexc" rgcn.json --graph graph --gpus 2 -o types > /dev/null || complain "good types"
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 0\n' > graph # no edge, so no value
"$smexc" rgcn.json --graph graph --gpus 2 -o types > /dev/null || complain "types of no edges"
"$run" types --verify > /dev/null || complain "types of no edges: run"
"$smexc" rgcn.json --dim nodes=4 --dim edges=3 --gpus 2 -o types --train --loss cross_entropy --optimizer sgd --lr 0.1 \
  > /dev/null || complain "types to come"
"$run" types --graph graph --verify > /dev/null || complain "types of no edges, to come"
"$run" types --graph graph --sample 1 --batch 1 --verify > /dev/null || complain "a sample without edges"
printf '0 1 0\n1 2 1\n' > graph
declared() { # MESSAGE FROM TO: replaces text of the model
  sed "s/$2/$3/" rgcn.json > changed.json
  gives 1 "changed.json: graph$1" "$smexc" changed.json --graph graph --gpus 2 -o no
}
declared ': "types" must be the name of an input' '"types":"edge_types",' ''
declared ': "types" must be the name of an input' ',"relations":2' ''
declared ': "types" must be the name of an input' '"relations":2' '"relations":0'
declared ': "types" must be the name of an input' '"relations":2' '"relations":2147483648'
declared '.relations: must be an integer' '"relations":2' '"relations":"2"'
declared ': edges that "self_loops" adds' '"self_loops":false' '"self_loops":true'

# What is computed in an order, or by mailboxes.
"$zoo" treelstm --features 3 --hidden 2 --classes 2 -o tree.json > /dev/null || complain "a model of trees"
printf '0 1\n1 2\n2 3\n3 1\n' > graph
gives 1 'node "tree" \(propagate, .*\): the graph has no topological order: a cycle of 3 nodes, .*; remove one of its edges$' \
  "$smexc" tree.json --graph graph --gpus 2 -o no
gives 1 'node "tree" \(propagate, .*\): depends on the graph: give one .* with --graph FILE, and --graph-room SHARE if it is to stand for others$' \
  "$smexc" tree.json --dim nodes=4 --dim edges=3 --gpus 2 -o no
cells() { # MESSAGE OP OPERAND ATTRIBUTES
  cat > cells.json << JSON
{"format": "smex-model", "version": 1,
 "graph": {"nodes": "n", "edges": "e", "sources": "src", "destinations": "dst"},
 "inputs": [{"name": "x", "type": "f32", "shape": ["n", 2]}, {"name": "m", "type": "f32", "shape": ["e", 2]}],
 "nodes": [{"op": "$2", "name": "node", "inputs": ["$3"], "outputs": ["y"], "attributes": {$4}}],
 "outputs": ["y"]}
JSON
  gives 1 "node \"node\" \\($2, .*\\): $1" "$smexc" cells.json --graph good.txt --gpus 2 -o no
}
first='"graph": {"inputs": ["a", "b"], "nodes": [{"op": "ReduceMax", "inputs": ["a"], "outputs": ["c"]}], "outputs": ["c"]}'
both='"graph": {"inputs": ["a", "b", "c"], "nodes": [{"op": "Identity", "inputs": ["a"], "outputs": ["d"]}], "outputs": ["d"]}'
cells 'operand 0 must have a row per edge of the graph, 2 in all, and is f32\[3, 2\]$' reduce_mailboxes x "\"reduce\": {$first}"
cells 'its body must give a row per node, .* and gives f32\[1, 1, 1\]$' reduce_mailboxes m "\"reduce\": {$first}"
cells 'its body has 3 inputs, not 2$' reduce_mailboxes m "\"reduce\": {$both}"
at() { # MESSAGE OPERANDS ATTRIBUTES
  cells "$1" reduce_mailboxes_at "${2// /\", \"}" "\"reduce\": {$both}${3-}"
}
at 'needs messages, where edges lead, and features of the nodes that they may lead to$' 'm dst'
at 'operand 1 must say where edges lead, i64\[edges\], and is f32\[3, 2\]$' 'm x x'
at 'operand 0 must have a row per edge of the graph, 2 in all, and is f32\[3, 2\]$' 'x dst x'
at 'operand 3 must have a row per node of the graph, 3 in all, and is f32\[2, 2\]$' 'm dst x m'
at '"width" must be positive$' 'm dst x' ', "width": 0'
cells 'its body must give a row per node, .* and gives f32\[1, 1, 1\]$' reduce_mailboxes_at 'm", "dst", "x' \
  "\"reduce\": {${both/Identity/ReduceMax}}"
cells 'operand 0 must have a row per node of the graph, 3 in all, and is f32\[2, 2\]$' propagate m "\"update\": {$both}, \"widths\": [2]"
cells 'needs "widths" of its states, features of nodes, and a graph that has some$' propagate x "\"update\": {$both}"
cells '"widths" must be positive$' propagate x "\"update\": {$both}, \"widths\": [0]"
cells 'its body gives 1 states, and "widths" has 2$' propagate x \
  "\"update\": {${both/\"c\"], \"nodes/\"c\", \"e\"], \"nodes}}, \"widths\": [2, 2]"
cells 'its body gives a state of f32\[0, 2\], not f32\[1, 2\]$' propagate x "\"update\": {$both}, \"widths\": [2]"
[[ ! -e no ]] || complain "a plan was written"

# Features of another number of nodes.
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("rows.npy", np.zeros((4, 3), np.float32))
np.save("good.npy", np.zeros((3, 3), np.float32))
PY
gives 1 'input "features".*f32\[4, 3\].*f32\[3, 3\]' "$run" plan --input features=rows.npy
"$run" plan --input features=good.npy > /dev/null || complain "good features"

# No graph when compiled: it comes with the inputs, and is checked.
"$smexc" gcn.json --gpus 2 --dim nodes=3 --dim edges=4 -o any > /dev/null || complain "a graph to come"
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("sources.npy", np.array([0, 1, 2, 3], np.int64))
np.save("destinations.npy", np.array([0, 1, 2, 2], np.int64))
PY
gives 1 'input "sources".*3.*' "$run" any --input features=good.npy --input sources=sources.npy \
  --input destinations=destinations.npy

# A graph for a plan with room for 3 nodes and 4 edges, one from each node to itself among them.
ran() {
  gives 1 "$1" "$run" any --input features=good.npy --graph graph "${@:2}"
}
printf '0 1\n1 2\n' > graph; ran 'graph: with self-loops, has 5 edges, and the plan has room for 4: compile it with --dim edges=5 or more$'
printf '0 3\n' > graph; ran 'graph: with self-loops, has 4 nodes, and the plan has room for 3: compile it with --dim nodes=4 or more$'
printf '0 -3\n' > graph; ran 'graph:1: row 0, column -3: outside of the matrix$'
printf '0 549755813887\n' > graph; ran 'graph: a graph of 549755813888 nodes and only 1 edges'
graph 'graph: a graph of 549755813888 nodes and only 1 edges'
rm graph; ran 'graph: cannot open'
printf '0 2\n' > graph
"$run" any --input features=good.npy --graph graph --verify > /dev/null || complain "a graph that fills the plan"
"$run" any --graph graph > /dev/null || complain "a graph, and features that are drawn"
gives 1 'graph and 1 more: with self-loops, has 6 nodes, and the plan has room for 3' \
  "$run" any --graph graph --graph graph
gives 1 'none.txt: cannot open' "$run" any --graph graph --graph none.txt
printf '2 2\n' > graph
"$run" any --input features=good.npy --graph graph --verify > /dev/null || complain "a smaller graph"
ran 'input "sources" is given twice$' --input sources=sources.npy
ran 'input "destinations.offsets" is not to be given: it follows from "destinations"$' --input destinations.offsets=sources.npy
ran 'input "other": the plan has no such input; it has "sources" \(i64\[4\]\), "destinations" \(i64\[4\]\), "features" \(f32\[3, 3\]\)$' --input other=sources.npy
gives 1 'input "sources" is missing: add --graph FILE, or --input sources=FILE' "$run" any --input features=good.npy
gives 1 'graph: the plan has no graph to bind' "$run" plan --input features=good.npy --graph graph

# Files with a row per node of the graph are filled up; with another number, they are not.
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("two.npy", np.zeros((2, 3), np.float32))
np.save("labels.npy", np.array([0, 1, -100], np.int64))
np.save("none.npy", np.full(3, -100, np.int64))
np.save("more.npy", np.zeros((2, 3, 3), np.float32))
PY
printf '0 1\n' > graph
"$run" any --input features=two.npy --graph graph --verify > /dev/null || complain "two rows for two nodes"
printf '0 0\n' > graph
gives 1 'input "features": two.npy is f32\[2, 3\], f32\[3, 3\] expected, or f32\[1, 3\], a row per node of graph$' "$run" any --input features=two.npy --graph graph

# Samples.
"$smexc" gcn.json --gpus 2 --dim nodes=3 --dim edges=4 -o trained --train --loss cross_entropy --optimizer sgd --lr 0.1 \
  > /dev/null || complain "a graph to come, to train on"
printf '0 1\n1 2\n' > graph
sampled() { # STATUS MESSAGE OPTION...
  gives "$1" "$2" "$run" trained --input features=good.npy "${@:3}"
}
labels=(--input labels=labels.npy)
sampled 2 '--sample requires --graph' "${labels[@]}" --sample 2,2 --batch 1
sampled 2 '--sample requires --batch or --nodes' "${labels[@]}" --sample 2,2 --graph graph
sampled 2 '--batch requires --sample, --sample-layers or --walk' "${labels[@]}" --batch 1 --graph graph
sampled 2 '--batch requires --graph' "${labels[@]}" --batch 1
sampled 2 '(--walk|--batch) requires --graph' "${labels[@]}" --walk 1 --batch 1
sampled 2 '--walk requires --batch' "${labels[@]}" --walk 1 --graph graph
sampled 2 '(--walk excludes --sample|--sample excludes --walk)' "${labels[@]}" --walk 1 --sample 1 --batch 1 --graph graph
sampled 2 '(--walk|--batch|--parts) excludes ' "${labels[@]}" --walk 1 --parts 1 --batch 1 --graph graph
for length in 0 -1 1.5 x 1099511627777; do
  sampled 2 '--walk: ' "${labels[@]}" --walk=$length --batch 1 --graph graph
done
sampled 1 '--walk: no node has a label that counts: all are -100$' --input labels=none.npy --walk 1 --batch 1 --graph graph
sampled 1 '--batch 4: the plan has room for 3 nodes: ' "${labels[@]}" --walk 1 --batch 4 --graph graph
gives 1 '--walk: the plan has no labels of nodes' "$run" any --input features=good.npy --graph graph --walk 1 --batch 1
"$run" trained --input features=good.npy "${labels[@]}" --walk 1 --batch 1 --graph graph --verify > /dev/null || complain "a walk"
for fanouts in 2,x 2,-2 2.5 , ''; do
  sampled 2 '--sample' "${labels[@]}" --sample="$fanouts" --batch 1 --graph graph
done
sampled 2 '--batch: ' "${labels[@]}" --sample 1 --batch 0 --graph graph
sampled 1 '--batch 4: the plan has room for 3 nodes: compile it with --dim nodes=N' "${labels[@]}" --sample 1 --batch 4 --graph graph
sampled 1 '--sample: no node has a label that counts: all are -100$' --input labels=none.npy --sample 1 --batch 1 --graph graph
sampled 1 'input "sources" is given twice$' "${labels[@]}" --sample 1 --batch 1 --graph graph --input sources=sources.npy
gives 1 'input "features": two.npy is f32\[2, 3\], and f32\[3, 3\] is expected, a row per node of graph$' \
  "$run" trained --input features=two.npy "${labels[@]}" --sample 1 --batch 1 --graph graph
gives 1 'input "features": more.npy is f32\[2, 3, 3\], and f32\[3, 3\] is expected' \
  "$run" trained --input features=more.npy "${labels[@]}" --sample 1 --batch 1 --graph graph
printf '0 1\n1 2\n0 2\n2 0\n' > graph
sampled 1 'step 1: graph: a sample for 2 nodes, 3 nodes and 2 edges in all: with self-loops, has 5 edges, .* --dim edges=5 or more$' \
  "${labels[@]}" --sample=-1 --batch 2 --graph graph
printf '2 1\n1 0\n0 2\n' > graph
sampled 1 'step 1: graph: walks from 1 node, 3 nodes and 3 edges in all: with self-loops, has 6 edges, .* --dim edges=6 or more$' \
  "${labels[@]}" --walk 9 --batch 1 --graph graph
printf '0 1\n1 2\n0 2\n2 0\n' > graph
gives 1 '--sample: the plan has no labels of nodes' "$run" any --input features=good.npy --graph graph --sample 1 --batch 1
gives 1 'graph: the plan has no graph to bind' "$run" plan --graph graph --sample 1 --batch 1

printf '2 2\n' > graph

# Attention reads the destination of every edge, so that none may lead nowhere.
"$zoo" gat --features 3 --hidden 2 --heads 2 --classes 2 -o gat.json > /dev/null || complain "a model"
"$smexc" gat.json --gpus 2 --dim nodes=3 --dim edges=4 -o gat > /dev/null || complain "a graph to come"
gives 1 'graph: with self-loops, has all of the plan.s 3 nodes, and 1 edges fewer than the plan, .* --dim nodes=4$' "$run" gat --graph graph

# An empty graph, and one node.
: > empty.txt
printf '0 0\n' > one.txt
for file in empty one; do
  "$smexc" gcn.json --graph $file.txt --gpus 3 -o $file > /dev/null || complain "$file"
  "$smexc" check $file > /dev/null || complain "$file"
  "$run" $file --verify > /dev/null || complain "$file: run"
done
gives 1 'output ".*" is f32\[0, [0-9]*\]: a mean of no elements is no loss$' "$smexc" gcn.json --graph empty.txt --train --gpus 3 -o no
exit $failed
