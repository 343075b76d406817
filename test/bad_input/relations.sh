#!/bin/bash
# Models of several graphs: files that do not go together, declarations that
# make no sense.
# usage: relations.sh SMEX_ZOO SMEXC SMEX_RUN
set -uo pipefail
source "$(dirname "$0")/gives.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

matrix() { # FILE ROWS COLUMNS: with an edge between the last nodes
  printf '%%%%MatrixMarket matrix coordinate pattern general\n%s %s 1\n%s %s\n' "$2" "$3" "$2" "$3" > "$1"
}
matrix rates 3 2
matrix rated_by 2 3
matrix follows 3 3
matrix more=users 4 4
matrix small 2 2
"$zoo" hetero-sage --features 3 --item-features 2 --hidden 2 --classes 2 -o model.json > /dev/null || complain "a model"
all=(--graph rates=rates --graph rated_by=rated_by --graph follows=follows)
"$smexc" model.json "${all[@]}" --gpus 2 -o plan > /dev/null || complain "good graphs"

bound() { # MESSAGE OPTION...
  gives 1 "$1" "$smexc" model.json --gpus 2 -o no "${@:2}"
}
names='"rates", "rated_by", "follows"'
bound "model.json: --graph follow=follows: give it as NAME=FILE, .* one of the model's graphs: $names$" --graph follow=follows
bound "model.json: --graph follows: give it as NAME=FILE, .*: $names$" --graph follows
bound "model.json: --graph =follows: give it as NAME=FILE, .*: $names$" --graph =follows
bound 'model.json: --graph follows=: the name of a file is missing$' --graph follows=
bound 'rates: is a matrix of 3 x 2, and a graph has as many rows as columns' "${all[@]}" --graph follows=rates
bound 'dimension "users" is 3 in rates, and 6 in follows and 1 more$' "${all[@]}" --graph follows=follows
bound 'model.json: graph "rated_by" is missing: add --graph rated_by=FILE$' --graph rates=rates --graph follows=follows
bound 'dimension "users" is 3 in rates, and 4 in more=users$' "${all[@]:0:4}" --graph follows=more=users
bound 'dimension "items" is 2 in rates, and 3 in follows$' "${all[@]:0:2}" --graph rated_by=follows "${all[@]:4}"
bound 'rates: is a matrix of 3 x 2, and a graph has as many rows as columns' "${all[@]:0:4}" --graph follows=rates
bound 'none: cannot open' "${all[@]:0:4}" --graph follows=none
bound '--dim items=7 contradicts .* where it is 2$' "${all[@]}" --dim items=7
bound 'dimensions without a value: .*--dim follows_edges=N' --dim users=3 --dim items=2
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 549755813888 1\n1 1\n' > wide
bound 'wide: a graph of 549755813888 nodes and only 1 edges' --graph rates=wide "${all[@]:2}"

# Graphs that come when a plan runs.
room=(--dim users=3 --dim items=3 --dim rates_edges=1 --dim rated_by_edges=1 --dim follows_edges=1)
"$smexc" model.json "${room[@]}" --gpus 2 -o any > /dev/null || complain "graphs to come"
ran() { # MESSAGE OPTION...
  gives 1 "$1" "$run" any "${@:2}"
}
"$run" any "${all[@]}" > /dev/null || complain "graphs for a plan"
ran "--graph follows: give it as NAME=FILE, .* one of the plan's graphs: $names$" --graph follows
ran 'graph "follows" is missing: add --graph follows=FILE$' "${all[@]:0:4}"
ran '--graph follows=: the name of a file is missing$' "${all[@]:0:4}" --graph follows=
ran 'none: cannot open' "${all[@]:0:4}" --graph follows=none
ran 'rates: is a matrix of 3 x 2, and a graph has as many rows as columns' "${all[@]:0:4}" --graph follows=rates
ran 'input "users" has a row per node: 3 by rates, and 2 by small: give files that agree' "${all[@]:0:4}" --graph follows=small
ran '--sample: the plan has no labels of nodes' "${all[@]}" --sample 2 --batch 1
ran '--walk: the plan has 3 graphs, and samples are of one$' "${all[@]}" --walk 2 --batch 1
ran '--parts: the plan has 3 graphs, and samples are of one$' "${all[@]}" --parts 2
ran 'more=users and 1 more: has 7 nodes that edges come from, and the plan has room for 3: compile it with --dim NODES=7 or more$' --graph follows=more=users --graph follows=follows --graph rates=more=users --graph rates=follows --graph rated_by=more=users --graph rated_by=follows
# Samples of all graphs.
"$smexc" model.json --dim users=3 --dim items=4 --dim rates_edges=1 --dim rated_by_edges=1 --dim follows_edges=1 --gpus 2 \
  --train --loss cross_entropy --optimizer sgd --lr 0.1 -o trained > /dev/null || complain "graphs to train on"
"$smexc" model.json "${room[@]}" --gpus 1 --train --loss cross_entropy --optimizer sgd --lr 0.1 -o alike > /dev/null \
  || complain "as many users as items"
gives 1 '--sample: nothing tells the plan which nodes or edges are a batch.s, and which were only sampled: its labels have as many rows as there are nodes of two types, or all of them count; ' \
  "$run" alike "${all[@]}" --sample 1 --batch 1
sampled() { # MESSAGE OPTION...
  gives 1 "$1" "$run" trained --sample=-1,-1 "${@:2}"
}
matrix many 5 5
matrix many_rated_by 2 5
matrix many_rates 5 2
matrix other_rates 5 3
many=(--graph rates=many_rates --graph rated_by=many_rated_by --graph follows=many)
"$run" trained "${many[@]}" --sample=-1,-1 --batch 1 --steps 8 --verify > /dev/null || complain "samples of graphs"
sampled '--batch 4: the plan has room for 3 nodes: compile it with --dim users=N for the batch' "${many[@]}" --batch 4
sampled 'input "items" has a row per node: 3 by other_rates, and 2 by many_rated_by: ' \
  "${many[@]:2}" --graph rates=other_rates --batch 1
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 5 2\n2 5\n1 5\n' > many_rated_by
/usr/bin/python3 -c 'import numpy as np
np.save("users5.npy", np.zeros((5, 3), np.float32))
np.save("items2.npy", np.zeros((2, 2), np.float32))
np.save("labels5.npy", np.array([-100, -100, -100, -100, 1]))'
inputs=(--input users=users5.npy --input items=items2.npy --input labels=labels5.npy)
sampled 'step 1: many_rated_by: a sample for 1 node, 3 nodes and 2 edges in all: has 2 edges, and the plan has room for 1: ' \
  "${many[@]}" "${inputs[@]}" --batch 1
gives 1 'input "users": users5.npy is f32\[5, 3\], and f32\[3, 3\] is expected, a row per node of ' \
  "$run" trained "${all[@]}" "${inputs[@]}" --sample 1 --batch 1

/usr/bin/python3 -c 'import numpy as np; np.save("users.npy", np.zeros((3, 3), np.float32))'
ran 'input "[a-z_]*/sources" is missing: add --graph [a-z_]*=FILE, or --input' --input users=users.npy
gives 1 'rates: the plan has no graph to bind: its model works on none, or it was compiled with --graph$' "$run" plan --graph rates

declared() { # MESSAGE FROM TO: replaces text of the model
  sed "s#$2#$3#" model.json > changed.json
  cmp -s model.json changed.json && complain "nothing changed: $2"
  gives 1 "changed.json: graph$1" "$smexc" changed.json "${all[@]}" --gpus 2 -o no
}
declared ': two graphs are called "rates"$' '"name":"rated_by"' '"name":"rates"'
declared ': each of several graphs must have a "name"$' '"name":"rated_by",' ''
declared ': the name "a=b" has a "=" in it$' '"name":"rated_by"' '"name":"a=b"'
declared '\[0\].nodes: "destinations" is missing$' ',"destinations":"items"' ''
declared '\[0\].nodes.sources: must be text$' '{"sources":"users"' '{"sources":7'
declared '\[2\].nodes: must be text$' '"nodes":"users"' '"nodes":["users"]'
declared '\[0\]: "self_loops" are edges from a node to itself' '"name":"rates",' '"name":"rates","self_loops":true,'
declared '\[1\]: must be an object$' '{"name":"rated_by"' '7,{"name":"rated_by"'
declared ': is a list of no graphs$' '"graph": \[.*\],$' '"graph": [],'

# Of one graph, by its name or without.
cat > one.json << 'JSON'
{"format": "smex-model", "version": 1,
 "graph": [{"name": "g", "nodes": {"sources": "n", "destinations": "m"}, "edges": "e", "sources": "src", "destinations": "dst"}],
 "inputs": [{"name": "x", "type": "f32", "shape": ["e", 2]}, {"name": "y", "type": "f32", "shape": ["m", 2]}],
 "nodes": [{"op": "sum_messages", "inputs": ["x", "dst", "y"], "outputs": ["z"]}], "outputs": ["z"]}
JSON
for file in g=rates rates; do
  "$smexc" one.json --graph $file --gpus 2 -o one > /dev/null || complain "one graph: $file"
done
# Several files are one graph, side by side.
printf '%%%%MatrixMarket matrix coordinate pattern general\n5 5 2\n3 2\n5 5\n' > union
"$smexc" one.json --graph union --gpus 2 -o union_plan > /dev/null || complain "a union"
for files in "--graph g=rates --graph g=rated_by" "--graph rates --graph g=rated_by"; do
  # shellcheck disable=SC2086
  "$smexc" one.json $files --gpus 2 -o side_by_side > /dev/null || complain "$files"
  for file in program.json gpu1.json gpu0.weights; do
    cmp union_plan/$file side_by_side/$file || complain "$files: $file"
  done
done

# Nodes that depend on a graph say on which.
cells() { # MESSAGE OP INPUTS ATTRIBUTES
  cat > cells.json << JSON
{"format": "smex-model", "version": 1,
 "graph": [{"name": "rates", "nodes": {"sources": "n", "destinations": "m"}, "edges": "e", "sources": "src", "destinations": "dst"},
           {"name": "follows", "nodes": "n", "edges": "f", "sources": "from", "destinations": "to"}],
 "inputs": [{"name": "x", "type": "f32", "shape": ["e", 2]}, {"name": "y", "type": "f32", "shape": ["m", 2]}],
 "nodes": [{"op": "$2", "name": "node", "inputs": [$3], "outputs": ["z"], "attributes": {$4}}], "outputs": ["z"]}
JSON
  local cells=("$smexc" cells.json --graph rates=rates --graph follows=follows --gpus 2 -o cells)
  if [ -n "$1" ]; then
    gives 1 "node \"node\" \\($2, .*\\): $1" "${cells[@]}"
  else
    "${cells[@]}" > /dev/null && "$run" cells --verify > /dev/null || complain "cells"
  fi
}
sum='"reduce": {"graph": {"inputs": ["messages", "lengths", "own"], "nodes": [
  {"op": "Constant", "outputs": ["axes"], "attributes": {"value_ints": [1]}},
  {"op": "ReduceSum", "inputs": ["messages", "axes"], "outputs": ["sum"], "attributes": {"keepdims": 0}},
  {"op": "Add", "inputs": ["sum", "own"], "outputs": ["both"]}], "outputs": ["both"]}}'
cells 'its attribute "graph" must name one of the model.s graphs: "follows", "rates"$' reduce_mailboxes '"x", "y"' "$sum"
cells 'operand 1 must have a row per node of the graph, 2 in all, and is f32\[1, 2\]$' reduce_mailboxes '"x", "x"' "\"graph\": \"rates\", $sum"
cells 'needs a graph whose nodes are of one type$' propagate '"y"' \
  '"graph": "rates", "update": {"graph": {"inputs": ["a", "b", "c"], "nodes": [], "outputs": ["c"]}}, "widths": [2]'
[[ ! -e cells ]] || complain "a plan was written"
cells "" reduce_mailboxes '"x", "y"' "\"graph\": \"rates\", $sum"
[[ ! -e no ]] || complain "a plan was written"
exit $failed
