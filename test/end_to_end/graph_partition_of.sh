#!/bin/bash
# --graph-partition of one network, on 1 to 8 workers: trained and not, plans are sound and give what one worker gives, and with --reproducible the same bits.
# usage: graph_partition_of.sh SMEX_ZOO SMEXC SMEX_RUN NETWORK
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 network=$4
cd "${TEST_TMPDIR:-$(mktemp -d)}"
fail() { echo "$network: $*"; exit 1; }

# Some nodes have no edges, and lower numbers more of them than higher ones. A third column is the edge's type.
edges() { # NODES EDGES SEED
  awk -v n="$1" -v m="$2" -v seed="$3" -v typed="${4-}" 'BEGIN { srand(seed)
    for (e = 0; e < m; e++) {
      u = int(n * rand()); v = int(n * rand() ^ 1.5)
      if (in_degree[v]++ < 5) print u, v, typed ? int(3 * rand()) : ""
    }
    print n - 1, n - 1, typed ? 1 : "" }'
}
edges 30 60 1 > edges.txt
graph=(--graph edges.txt) sizes=(--features 5 --hidden 4 --classes 3)
case $network in
gcn-*)
  network=gcn sizes+=("--${4#gcn-}")
  [[ $4 != gcn-residual ]] || sizes+=(--layers 3)
  ;;
rgcn) edges 30 60 1 typed > edges.txt ;;
nnconv) sizes+=(--edge-features 3 --edge-hidden 3) ;;
gin)
  edges 17 30 2 > other.txt
  graph+=(--graph other.txt) sizes+=(--readout sum)
  ;;
changing) sizes+=(--layers 1 --rounds 2) ;;
treelstm)
  awk 'BEGIN { for (v = 1; v < 14; v++) print v, int((v - 1) / 2) }' > edges.txt
  sizes=(--vocabulary 11 --features 5 --hidden 4 --classes 3)
  ;;
sage-lstm | sage-mailbox | graph-transformer) sizes+=(--layers 1) ;;
hetero-*)
  [[ $network != hetero-transformer ]] || sizes+=(--layers 1)
  sizes+=(--item-features 6)
  edges 30 50 3 > rates.txt
  edges 30 50 4 > rated_by.txt
  edges 30 40 5 > follows.txt
  graph=(--graph rates=rates.txt --graph rated_by=rated_by.txt --graph follows=follows.txt)
  ;;
esac
"$zoo" "$network" "${sizes[@]}" -o model.json

train=(--train --loss cross_entropy --ignore-index -1 --optimizer sgd --lr 0.01)
compile() { # GPUS OPTION..
  "$smexc" model.json "${graph[@]}" --cuda-arch none --graph-partition equal-edges -o plan --gpus "$@" > log 2>&1 ||
    fail "$* is refused: $(cat log)"
  if [[ $1 == 3 ]]; then "$smexc" check plan > log 2>&1 || fail "$*: $(cat log)"; fi # makes all code again
}
runs() { # WORDS OPTION..: what verification says
  local words=$1
  shift
  "$run" plan --seed 3 --verify "$@" > log 2>&1 && grep -qF "$words" log || fail "$* on $gpus workers: $(cat log)"
}
for gpus in 1 2 3 4 8; do
  case $gpus in
  3 | 8)
    compile $gpus
    runs verified
    ;;
  esac
  if [[ $gpus != 1 ]]; then
    compile $gpus "${train[@]}"
    runs verified --steps 2
  fi
  compile $gpus --reproducible "${train[@]}"
  runs bit-equal --steps 2 --save-parameters $gpus.safetensors
  cmp 1.safetensors $gpus.safetensors || fail "other parameters on $gpus workers"
done
