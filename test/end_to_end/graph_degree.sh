#!/bin/bash
# What a plan needs grows with the edges of the graph by the lists that say which edges there are, and by nothing else:
# no feature, and no coefficient of an attention, is stored for each edge, in inference or in training, reproducible or
# not. So a worker's peak, on a graph of as many nodes and 16 times as many edges, grows by no more than the
# plan's parameters, which lists are among, and the inputs that have a row per edge.
# usage: graph_degree.sh SMEX_ZOO SMEXC
set -euo pipefail
zoo=$1 smexc=$2
work=${TEST_TMPDIR:-$(mktemp -d)}

python3 - "$work" << 'END'
import random, sys
random.seed(3)
pairs = [(v, u) for v in range(512) for u in range(512)]
random.shuffle(pairs)
for degree in (32, 256, 512):
    with open(f"{sys.argv[1]}/{degree}.txt", "w", encoding="utf-8") as file:
        for edge in pairs[:512 * degree]:
            print(*edge, file=file)
END

check() { # NAME EDGE_FEATURES SHARE PLAN..: plans of graphs of growing degree; SHARE of lists and inputs is had twice
  python3 - "$@" << 'END'
import json, sys
name, features, twice, totals = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), []
for plan in sys.argv[4:]:
    totals.append(json.load(open(plan + "/plan.json", encoding="utf-8"))["totals"])
peaks = [max(each["peak_bytes"]) for each in totals]
lists = [each["parameter_bytes"] for each in totals]
edges = [512 * int(plan.rsplit(".", 1)[1]) for plan in sys.argv[4:]]
slack = 64 * 1024  # buffers begin at multiples of 64 bytes, and may leave gaps
for i in range(1, len(edges)):
    more = edges[i] - edges[0]
    grown, allowed = peaks[i] - peaks[0], int((1 + twice) * (lists[i] - lists[0] + 4 * features * more)) + slack
    print(f"{name}: {more} edges more, {grown / more:.1f} bytes per edge, of lists and inputs {allowed / more:.1f}")
    if grown > allowed:
        sys.exit(f"{name}: the peak grows by {grown} bytes, {allowed} are allowed")
END
}

compile() { # NETWORK EDGE_FEATURES GPUS MODE OPTION..
  local plans=() degrees=(32 512) twice=0 degree
  # What takes less than its nodes' features is stored, with few edges per node (compiler/messagepassing/README.md).
  [[ $1 == wide* ]] && degrees=(256 512)
  if [[ $4 == reproducible* ]]; then
    # No sum is split: features or heads are, and each worker needs all lists beside the part that it keeps of them.
    [ "$3" = 1 ] || twice=0.5
  fi
  for degree in "${degrees[@]}"; do
    "$smexc" "$work/$1.json" --graph "$work/$degree.txt" --gpus "$3" --cuda-arch none -o "$work/$4.$degree" "${@:5}"
    plans+=("$work/$4.$degree")
  done
  check "$1, $3 GPUs, $4" "$2" "$twice" "${plans[@]}"
}

training=(--train --loss cross_entropy --optimizer adam --lr 0.01)
small=(--layers 2 --features 16 --classes 4)
"$zoo" gcn "${small[@]}" --hidden 32 -o "$work/gcn.json"
"$zoo" gat "${small[@]}" --hidden 4 --heads 8 -o "$work/gat.json"
"$zoo" graph-transformer "${small[@]}" --hidden 4 --heads 8 --edge-features 2 -o "$work/graph-transformer.json"
# Heads of many features, and random numbers for each edge and head.
"$zoo" gat "${small[@]}" --hidden 32 --heads 8 --dropout 0.6 -o "$work/wide-gat.json"
compile wide-gat 0 1 train "${training[@]}"
compile wide-gat 0 1 reproducible_train --reproducible "${training[@]}"
for network in gcn gat graph-transformer; do
  features=0
  [ $network = graph-transformer ] && features=2
  compile $network $features 1 eval
  compile $network $features 1 reproducible_eval --reproducible
  for gpus in 1 2; do
    compile $network $features $gpus train "${training[@]}"
    compile $network $features $gpus reproducible_train --reproducible "${training[@]}"
  done
done
