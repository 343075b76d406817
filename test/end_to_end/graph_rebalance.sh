#!/bin/bash
# smex-run times the layers of a graph network, fits the cost model, and moves
# ranges of vertices by it while it trains: losses and parameters are those of
# training whose ranges never moved. The model serves other graphs, and what
# cannot be is refused.
# usage: graph_rebalance.sh SMEX_ZOO SMEXC SMEX_RUN
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
cd "${TEST_TMPDIR:-$(mktemp -d)}"
fail() {
  echo "$*"
  exit 1
}

# Most edges lead to the first vertices, and come from them.
awk 'BEGIN { srand(1); for (e = 0; e < 120000; e++)
  print int(2000 * rand() ^ 3), int(2000 * rand() ^ 6) }
  END { print "1999 1999" }' < /dev/null > edges.txt
# Of attention with one head, the search cuts vertices; of other networks, often features.
"$zoo" gat --layers 2 --heads 1 --features 32 --hidden 16 --classes 7 --dropout 0.5 -o gat.json
train=(--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01)

# same BITS A B: the losses of two runs.
same() {
  python3 - "$@" <<'END'
import json, sys
bits, *runs = sys.argv[1:]
one, other = ([step["loss"] for step in json.load(open(run))["steps"]] for run in runs)
assert len(one) == len(other), (len(one), len(other))
off = max(abs(a - b) / abs(a) for a, b in zip(one, other))
assert off <= (0 if bits == "bits" else 1e-4), (off, one, other)
print(len(one), "losses, off by", off)
END
}

for kind in bits floats; do
  options=(gat.json --graph edges.txt --gpus 2 --cuda-arch none "${train[@]}")
  [[ $kind == floats ]] || options+=(--reproducible)
  "$smexc" "${options[@]}" --graph-partition equal-vertices -o plan
  cp -r plan before
  "$run" plan --steps 12 --seed 3 --metrics never.json --save-parameters never
  "$run" plan --steps 12 --seed 3 --metrics moved.json --save-parameters moved --checkpoint-dir last \
    --cost-model cost.json --rebalance-every 2 --move-seconds 0 --verify \
    --recompile "'$smexc' ${options[*]}" | tee log
  grep -q "they move" log || fail "nothing moved"
  grep -q "resumes after step" log || fail "it did not go on"
  grep -q "^ranges of vertices moved" log || fail "moves are not reported"
  grep -q '"moves": [1-9]' moved.json || fail "metrics without moves"
  same $kind never.json moved.json
  [[ $kind == floats ]] || cmp never moved || fail "other parameters"
  ! cmp -s plan/program.json before/program.json || fail "the plan is the old one"
  "$smexc" check plan
  # From the plan that it has now, it goes on.
  "$run" plan --steps 14 --seed 3 --checkpoint-dir last --resume --cost-model cost.json | tee log
  grep -q "slowest worker .* times the mean" log || fail "no balance"
  # The model is beside the plan: it serves inference, on a graph never seen.
  head -n 20000 edges.txt | awk '{ print $2, $1 }' > other.txt
  "$smexc" gat.json --graph other.txt --gpus 4 --cuda-arch none --graph-partition cost.json -o infer
  "$smexc" check infer
  "$run" infer --verify
  rm -r before last
  [[ $kind == floats ]] || rm cost.json
done

# A command that fails leaves the plan, and the run goes on.
"$smexc" "${options[@]}" --graph-partition equal-vertices -o plan
"$run" plan --steps 12 --seed 3 --metrics stayed.json --checkpoint-dir last --cost-model other.json \
  --rebalance-every 3 --move-seconds 0 --recompile false > log 2> error.txt
grep -q "note: --recompile: exit status 1: goes on with the plan that there is" error.txt || fail "$(cat error.txt)"
! grep -q "moved" log || fail "it says that ranges moved"
same floats never.json stayed.json
rm -r last
# A move that does not pay is none.
"$run" plan --steps 12 --checkpoint-dir last --cost-model other.json --rebalance-every 3 --move-seconds 1e6 \
  --recompile false > log
grep -q "of 1e+06 s that a move takes: they stay" log || fail "it moved"

refused() {
  local status=$1 words=$2
  shift 2
  local said=0
  "$@" > /dev/null 2> error.txt || said=$?
  [[ $said == "$status" ]] && grep -qF -- "$words" error.txt ||
    fail "$* gives $said: $(cat error.txt)"
}
"$zoo" gcn --layers 2 --features 32 --hidden 8 --classes 7 -o narrow.json
"$smexc" narrow.json --graph edges.txt --gpus 2 --cuda-arch none "${train[@]}" -o narrow
refused 1 'cost.json: a cost model of another network, "gat.json", whose layers pass messages of 1, 1, 16, 1, 1, 7, ' \
  "$run" narrow --steps 2 --cost-model cost.json
refused 1 'cost.json: a cost model of another network, "gat.json"' \
  "$smexc" narrow.json --graph edges.txt --gpus 2 --cuda-arch none --graph-partition cost.json -o narrow
cp gat.json alike.json
"$smexc" alike.json --graph edges.txt --gpus 2 --cuda-arch none "${train[@]}" -o alike
refused 1 'cost.json: a cost model of another network, "gat.json", and this is "alike.json": give each a file of its own' \
  "$run" alike --steps 2 --cost-model cost.json
# Rows that are read by a later dimension, as of relations; and a result for each of several graphs.
head -n 2000 edges.txt > one.txt
head -n 3000 edges.txt | tail -n 1000 > two.txt
"$zoo" rgcn --relations 2 --layers 2 --features 8 --hidden 8 --classes 3 -o rgcn.json
"$zoo" gin --readout sum --layers 2 --features 8 --hidden 8 --classes 3 -o gin.json
# Of messages that are stored, as products of edges' own matrices are, the layer reads none but these.
"$zoo" nnconv --layers 2 --features 8 --hidden 8 --edge-features 3 --edge-hidden 4 --classes 3 -o nnconv.json
for network in rgcn gin nnconv; do
  graphs=(--graph one.txt)
  [[ $network != gin ]] || graphs+=(--graph two.txt)
  "$smexc" $network.json "${graphs[@]}" --gpus 2 --cuda-arch none -o $network
  "$run" $network --steps 3 --cost-model $network-cost.json > log
  grep -q "cost model fitted to" log || fail "$network: no model"
done
"$smexc" nnconv.json --graph one.txt --gpus 2 --cuda-arch none "${train[@]}" -o nnconv
"$run" nnconv --steps 3 --cost-model nnconv-trained.json > log
for model in nnconv-cost.json nnconv-trained.json; do
  "$smexc" nnconv.json --graph two.txt --gpus 3 --cuda-arch none --graph-partition $model -o nnconv
  "$run" nnconv --verify
done
printf '0 1\n1 2\n2 0\n' > few.txt
"$zoo" mlp --layers 2 --hidden 16 -o mlp.json
"$smexc" mlp.json --gpus 2 --cuda-arch none -o mlp
refused 1 "mlp.json: passes no messages" "$run" mlp --cost-model mlp-cost.json
"$zoo" sage-lstm --layers 1 --features 4 --hidden 4 --classes 3 -o lstm.json
"$smexc" lstm.json --graph few.txt --gpus 2 --cuda-arch none -o lstm
refused 1 "and of none in buckets or levels of nodes; --graph-partition equal-edges divides those without one" \
  "$run" lstm --cost-model lstm-cost.json
refused 2 "--rebalance-every requires" "$run" plan --rebalance-every 3 --cost-model c.json
"$smexc" gat.json --dim nodes=3000 --dim edges=130000 --gpus 2 --cuda-arch none "${train[@]}" -o room
refused 1 "--cost-model: each step works on another graph" \
  "$run" room --graph edges.txt --sample 2,2 --batch 8 --cost-model room.json
# A graph that comes with the run is one graph.
"$run" room --graph edges.txt --steps 3 --cost-model room.json > log
grep -q "cost model fitted to" log || fail "no model"
echo '{' > bad.json
refused 1 "bad.json: " "$run" plan --steps 2 --cost-model bad.json
refused 4 "nowhere/cost.json" "$run" plan --steps 2 --cost-model nowhere/cost.json

# Fewer vertices than workers. Adam makes steps of gradients that are nothing but rounding.
"$smexc" gat.json --graph few.txt --gpus 8 --cuda-arch none --graph-partition cost.json "${train[@]}" --reproducible -o few
"$smexc" check few
"$run" few --steps 3 --verify --cost-model few.json
"$smexc" gat.json --graph few.txt --gpus 8 --cuda-arch none --graph-partition few.json -o few
"$run" few --verify

# A command that compiles another model: the checkpoint is not of it.
"$zoo" gat --layers 2 --heads 1 --features 32 --hidden 16 --classes 7 --dropout 0.25 -o less.json
"$smexc" "${options[@]}" --graph-partition equal-vertices -o plan
rm -r last
refused 1 "last/checkpoint.safetensors: " "$run" plan --steps 12 --checkpoint-dir last --cost-model fresh.json \
  --rebalance-every 1 --move-seconds 0 --recompile "'$smexc' less.json --graph edges.txt --gpus 2 --cuda-arch none ${train[*]}"
