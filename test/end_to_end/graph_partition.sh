#!/bin/bash
# A graph's vertices divided at bounds: plans are sound, have the bounds of the
# balance that was asked for, and give what one worker gives, trained and not;
# what cannot be divided so is refused.
# usage: graph_partition.sh SMEX_ZOO SMEXC SMEX_RUN
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
cd "${TEST_TMPDIR:-$(mktemp -d)}"

# Edges lead to low numbers more often than to high ones.
awk 'BEGIN { srand(1); for (e = 0; e < 3000; e++) print int(400 * rand()), int(400 * rand() * rand() * rand()) }' > edges.txt
echo "399 399" >> edges.txt
"$zoo" gcn --layers 2 --features 32 --hidden 16 --classes 7 -o gcn.json
model() {
  echo "{\"format\": \"smex-graph-cost-model\", \"version\": 1, \"model\": \"gcn.json\", \"layers\": [$1]}"
}
layer() { echo "{\"width\": $1, \"weights\": [1e-6, 1e-8, 0, 0, 1e-8]}"; }
model "$(layer 16), $(layer 7)" > cost.json
model "$(layer 16), $(layer 8)" > other.json

train=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01)
for gpus in 2 3 4 8; do
  for by in equal-vertices equal-edges greedy-edge-cap cost.json; do
    "$smexc" gcn.json --graph edges.txt --gpus $gpus --cuda-arch none --graph-partition $by -o plan
    "$smexc" check plan
    "$run" plan --verify
  done
  "$smexc" gcn.json --graph edges.txt --gpus $gpus --cuda-arch none --graph-partition equal-edges "${train[@]}" -o plan
  "$smexc" check plan
  "$run" plan --steps 3 --verify
  "$smexc" gcn.json --graph edges.txt --gpus $gpus --cuda-arch none --graph-partition equal-edges --reproducible -o plan
  "$run" plan --verify | grep "bit-equal"
done

# Each model of message passing; of neighbours elsewhere come the rows that are
# read, which the check finds again.
withRows=0
for model in gcn gat gin sage commnet; do
  "$zoo" $model --layers 2 --features 8 --hidden 8 --classes 3 -o model.json
  for gpus in 1 2 3 4 8; do
    "$smexc" model.json --graph edges.txt --gpus $gpus --cuda-arch none --graph-partition equal-edges -o plan
    "$smexc" check plan
    "$run" plan --verify
    if [[ $gpus == 2 ]]; then "$run" plan --verify --backend reference; fi
    grep -q '"rows": true' plan/program.json && withRows=$((withRows + 1))
  done
  "$smexc" model.json --graph edges.txt --gpus 3 --cuda-arch none --graph-partition equal-edges "${train[@]}" -o plan
  "$smexc" check plan
  "$run" plan --steps 2 --verify
done
[[ $withRows -gt 0 ]] || { echo "no fetch gets rows"; exit 1; }

# Half of the edges, self-loops among them, lead to the first vertices.
"$smexc" gcn.json --graph edges.txt --gpus 2 --cuda-arch none --graph-partition equal-edges -o plan
half=$(awk '{ n[$2]++; if ($1 == $2) loop[$1] = 1 }
  END { for (v = 0; v < 400; v++) { n[v] += !loop[v]; all += n[v] }
        for (v = 0; v < 400 && 2 * sum + n[v] < all; v++) sum += n[v]
        print v }' edges.txt)
grep -q "\"bounds\": \[\[$half\]\]" plan/program.json

refused() {
  local status=$1 words=$2
  shift 2
  local said=0
  "$smexc" gcn.json --gpus 2 --cuda-arch none -o plan "$@" 2> error.txt || said=$?
  [[ $said == "$status" ]] && grep -qF -- "$words" error.txt ||
    { echo "$* gives $said:"; cat error.txt; exit 1; }
}
refused 2 '--graph-partition thirds: give equal-vertices, equal-edges, greedy-edge-cap, or a cost model, FILE.json' \
  --graph edges.txt --graph-partition thirds
for by in metis random-permutation; do
  refused 2 "--graph-partition $by: numbers vertices anew, and a plan keeps their order" \
    --graph edges.txt --graph-partition $by
done
for by in dynamic roc roc-min-max; do
  refused 2 "--graph-partition $by: goes by times that a run has measured: smex-run --cost-model" \
    --graph edges.txt --graph-partition $by
done
refused 2 'is for --algorithm recursive, and this is tofu' \
  --graph edges.txt --graph-partition equal-edges --algorithm tofu
refused 1 'gcn.json has no graph to divide' --dim nodes=400 --dim edges=4000 --graph-partition equal-edges
refused 1 'other.json: a cost model of another network, "gcn.json", whose layers pass messages of 16, 8 numbers; here they are of 16, 7' \
  --graph edges.txt --graph-partition other.json
# A model of another network with layers as wide serves, and it is said of which.
cp gcn.json alike.json
"$smexc" alike.json --graph edges.txt --gpus 2 --cuda-arch none --graph-partition cost.json -o plan 2> note.txt
grep -qF 'smexc: note: cost.json: the cost model was fitted to "gcn.json", whose layers pass as many numbers, and this is "alike.json"' note.txt
"$smexc" gcn.json --graph edges.txt --gpus 2 --cuda-arch none --graph-partition cost.json -o plan 2> note.txt
[[ ! -s note.txt ]] || { cat note.txt; exit 1; }

model "$(layer 16), $(layer 7)" | sed 's/\[1e-6, 1e-8, 0, 0, 1e-8\]/[0, 0, 0, 0, 0]/g' > none.json
refused 1 'none.json: all weights are 0: the model has been fitted to no timings' \
  --graph edges.txt --graph-partition none.json

"$zoo" hetero-sage --features 8 --item-features 8 --hidden 8 --classes 3 -o hetero.json
! "$smexc" hetero.json --graph rates=edges.txt --graph rated_by=edges.txt --graph follows=edges.txt --gpus 2 \
  --cuda-arch none --graph-partition cost.json -o plan 2> error.txt
grep -qF 'hetero.json has several graphs or types of nodes: give equal-vertices, equal-edges or greedy-edge-cap' error.txt ||
  { cat error.txt; exit 1; }

# Fewer vertices than workers.
printf '0 1\n1 2\n2 0\n' > few.txt
"$smexc" gcn.json --graph few.txt --gpus 8 --cuda-arch none --graph-partition equal-edges -o plan
"$smexc" check plan
"$run" plan --verify
