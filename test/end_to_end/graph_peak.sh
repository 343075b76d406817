#!/bin/bash
# No message is stored: on a dense graph, whose messages would be 4 MB in each layer, plans of graph networks need less
# than a quarter of that for all of a run, and for all of a step of training; with attention, which keeps numbers of each
# edge, less than the whole. Without code for GPUs, whose libraries have a workspace beside.
# usage: graph_peak.sh SMEX_ZOO SMEXC SMEX_RUN
set -euo pipefail
zoo=$1 smexc=$2 smex_run=$3
work=${TEST_TMPDIR:-$(mktemp -d)}

python3 - "$work/graph.txt" << 'END'
import random, sys
random.seed(3)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    for edge in sorted({(random.randrange(200), random.randrange(200)) for _ in range(20000)}):
        print(*edge, file=file)
END
messages=$(($(wc -l < "$work/graph.txt") * 64 * 4))
[ $messages -gt 4000000 ]

peak() { # PLAN: of its fullest worker; the run measures it, and must agree
  "$smex_run" "$1" --verify > "$work/log" || { cat "$work/log" >&2; exit 1; }
  python3 -c 'import json, sys; print(max(json.load(open(sys.argv[1]))["totals"]["peak_bytes"]))' "$1/plan.json"
}
for network in gcn sage gin commnet gat; do
  parts=4
  [ $network = gat ] && parts=1
  "$zoo" $network --layers 2 --features 64 --hidden 64 --classes 64 -o "$work/model.json"
  for gpus in 1 2; do
    "$smexc" "$work/model.json" --graph "$work/graph.txt" --gpus $gpus --cuda-arch none -o "$work/eval"
    "$smexc" "$work/model.json" --graph "$work/graph.txt" --gpus $gpus --cuda-arch none -o "$work/train" \
      --train --loss cross_entropy --optimizer adam --lr 0.01
    for plan in eval train; do
      bytes=$(peak "$work/$plan")
      echo "$network, $gpus GPUs, $plan: $bytes bytes, messages $messages"
      [ $((bytes * parts)) -lt $messages ]
    done
  done
done
