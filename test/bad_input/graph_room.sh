#!/bin/bash
# Plans with room for graphs like a sample, and what they have no room for.
# usage: graph_room.sh SMEX_ZOO SMEXC SMEX_RUN
set -uo pipefail
source "$(dirname "$0")/gives.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$zoo" treelstm --vocabulary 9 --features 3 --hidden 2 --classes 2 -o tree.json > /dev/null || complain "a model of trees"
"$zoo" sage-lstm --layers 1 --features 3 --hidden 2 --classes 2 -o sage.json > /dev/null || complain "a model of buckets"
"$zoo" gcn --features 3 --hidden 2 --classes 2 -o gcn.json > /dev/null || complain "a model of neither"
"$zoo" rgcn --features 3 --hidden 2 --classes 2 --relations 2 -o rgcn.json > /dev/null || complain "a model with types"
printf '0 2\n1 2\n2 4\n3 4\n' > sample.txt

# Options.
gives 2 '--graph-room requires --graph ' "$smexc" tree.json --graph-room 0.1 --gpus 1 -o no
for share in -1 x 101 nan; do
  gives 2 '--graph-room: ' "$smexc" tree.json --graph sample.txt --graph-room $share --gpus 1 -o no
done
gives 1 '--graph-room is for a model of one graph, with nodes of one type and edges of one type$' \
  "$smexc" rgcn.json --graph sample.txt --graph-room 0.1 --gpus 1 -o no
gives 1 '--dim nodes=5 contradicts .* --graph, where it is 9$' \
  "$smexc" tree.json --graph sample.txt --graph-room 0.1 --dim nodes=5 --gpus 1 -o no

# Samples that are none.
printf '0 1\n1 0\n' > cycle.txt
gives 1 'node "tree" \(propagate, .*\): the graph has no topological order: a cycle of 2 nodes, .*; remove one of its edges$' \
  "$smexc" tree.json --graph cycle.txt --graph-room 0.1 --gpus 1 -o no
: > empty.txt
gives 1 'node "tree" \(propagate, .*\): needs .* a graph that has some$' \
  "$smexc" tree.json --graph empty.txt --graph-room 0.1 --gpus 1 -o no
gives 1 'node "layer0/lstm" \(reduce_mailboxes, .*\): the graph has no nodes$' "$smexc" sage.json --graph empty.txt --gpus 1 -o no
[[ ! -e no ]] || complain "a plan was written"

# The sample has 5 nodes on 3 levels: there is room for 9, and 8 edges.
"$smexc" tree.json --graph sample.txt --graph-room 0.1 --gpus 2 -o tree > /dev/null || complain "a sample of trees"
"$smexc" check tree > /dev/null || complain "a sound plan"
more='compile it with this graph as --graph, or with a larger --graph-room$'
for file in sample empty; do
  "$run" tree --graph $file.txt --verify > /dev/null || complain "$file"
done
tree() { # MESSAGE LINES: of edges
  printf "$2" > graph
  gives 1 "graph: $1" "$run" tree --graph graph
}
tree "has 10 nodes, and the plan has room for 9: $more" '0 9\n'
tree "has 9 edges, and the plan has room for 8: $more" '0 4\n1 4\n2 4\n3 4\n0 5\n1 5\n2 5\n3 5\n0 6\n'
tree "has a path of 6 nodes, and the plan has room for 5 levels: $more" '0 1\n1 2\n2 3\n3 4\n4 5\n'
tree "has 7 nodes for level 3 of 0 to 4, where the plan has room for 6, and lower levels have none for the rest: $more" \
  '0 7\n1 7\n2 7\n3 7\n4 7\n5 7\n6 7\n'
tree 'has 1 edges from level 2 to level 4, and the plan has room for none: compile it with a sample that has such edges as --graph$' \
  '0 1\n1 2\n0 2\n'
tree 'the graph has no topological order: a cycle of 2 nodes, .*; remove one of its edges$' '0 1\n1 0\n'
gives 1 'sample.txt and 1 more: has 10 nodes, and the plan has room for 9' "$run" tree --graph sample.txt --graph sample.txt

# Nodes that receive 0 or 2 messages: there is room for 3 of them.
"$smexc" sage.json --graph sample.txt --graph-room 0.1 --gpus 2 -o sage > /dev/null || complain "a sample of mailboxes"
sage() {
  printf "$2" > graph
  gives 1 "graph: $1" "$run" sage --graph graph
}
for file in sample empty cycle; do
  "$run" sage --graph $file.txt --verify > /dev/null || complain "$file: mailboxes"
done
sage "has 1 nodes that receive 4 messages or more, and the plan has room for 0 such nodes: $more" '0 4\n1 4\n2 4\n3 4\n'
"$smexc" sage.json --graph empty.txt --graph-room 0 --gpus 2 -o few > /dev/null || complain "an empty sample"
gives 1 "cycle.txt and 2 more: has 6 nodes, and the plan has room for 4" "$run" few --graph cycle.txt --graph cycle.txt --graph cycle.txt
"$run" few --graph cycle.txt --verify > /dev/null || complain "a graph where the sample was empty"

# Lists are inputs that --graph gives.
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("words.npy", np.zeros(5, np.int64))
np.save("more_words.npy", np.zeros(9, np.int64))
np.save("nodes.npy", np.zeros(3, np.int64))
PY
"$run" tree --graph sample.txt --input words=words.npy --verify > /dev/null || complain "words"
gives 1 'input "levels.nodes" is given twice$' "$run" tree --graph sample.txt --input levels.nodes=nodes.npy
gives 1 'input ".*" is missing: add --graph FILE, or --input ' "$run" tree --input words=more_words.npy
gives 1 'input "levels.nodes": nodes.npy is i64\[3\], i64\[[0-9]+\] expected$' "$run" tree --input levels.nodes=nodes.npy

# A model of neither kind of groups: room for nodes and edges alone.
"$smexc" gcn.json --graph sample.txt --graph-room 0.1 --gpus 2 -o gcn > /dev/null || complain "a sample of a graph"
"$run" gcn --graph cycle.txt --verify > /dev/null || complain "another graph"
printf '0 14\n' > graph
gives 1 'graph: with self-loops, has 15 nodes, and the plan has room for 9: ' "$run" gcn --graph graph

# Samples of a larger graph that do not fit.
"$smexc" sage.json --graph sample.txt --graph-room 0.1 --gpus 1 --train --loss cross_entropy --optimizer sgd --lr 0.1 -o trained \
  > /dev/null || complain "a plan to train on samples"
printf '0 4\n1 4\n2 4\n3 4\n5 20\n' > graph
/usr/bin/python3 - << 'PY' || exit 1
import numpy as np
np.save("features.npy", np.zeros((21, 3), np.float32))
labels = np.full(21, -100)
labels[4] = 1
np.save("labels.npy", labels)
PY
inputs=(--input features=features.npy --input labels=labels.npy)
gives 1 "step 1: graph: a sample for 1 node, 5 nodes and 4 edges in all: has 1 nodes that receive 4 messages or more, .*: $more" \
  "$run" trained --graph graph "${inputs[@]}" --sample=-1 --batch 1
"$run" trained --graph graph "${inputs[@]}" --sample 2 --batch 1 --verify > /dev/null || complain "a sample that fits"
printf '0 4\n1 4\n2 4\n3 4\n' > graph
gives 1 "step 1: graph: 1 part, 5 nodes and 4 edges in all: has 1 nodes that receive 4 messages or more, .*: $more" \
  "$run" trained --graph graph --parts 2
printf '0 1\n2 3\n4 5\n6 7\n8 9\n10 11\n12 13\n14 15\n' > graph # of which 4 fit
"$run" trained --graph graph --parts 8 --steps 2 --verify > /dev/null || complain "parts that fit"
gives 1 '--parts: empty.txt has no nodes$' "$run" trained --graph empty.txt --parts 1
gives 2 '--parts requires --graph' "$run" trained --parts 1
gives 2 '--parts: ' "$run" trained --graph graph --parts 0
gives 2 '--parts excludes --sample|--sample excludes --parts' "$run" trained --graph graph --parts 1 --sample 2 --batch 1
exit $failed
