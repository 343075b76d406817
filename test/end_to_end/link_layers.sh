#!/bin/bash
# Labels of edges of a relation along which no messages pass, in a network whose
# layers each sample other relations, one of which has rows of edges: with all
# neighbours and all links, losses are those of the whole graphs, which the
# reference computes for itself; with some, a function of the seed, for any number
# of workers.
# usage: link_layers.sh SMEXC SMEX_RUN REFERENCE
set -euo pipefail
smexc=$PWD/$1 run=$PWD/$2 reference=$PWD/$3
cd "${TEST_TMPDIR:-$(mktemp -d)}"
/usr/bin/python3 "$reference" prepare
# A node more of each type, to which spare edges lead.
room=(--dim users=13 --dim items=10 --dim rates_edges=30 --dim back_edges=30 --dim pairs_edges=18)
all=(--sample-layers rates=-1,-1 --sample-layers back=-1,-1)
data=(--graph rates=rates.mtx --graph back=back.mtx --graph pairs=pairs.mtx --input users_have=users_have.npy
  --input items_have=items_have.npy --input rates_have=rates_have.npy --input labels=labels.npy
  --parameters first.safetensors --steps 4 --verify)
for gpus in 1 2 3; do
  "$smexc" model.json "${room[@]}" "${all[@]}" --batch 18 --gpus $gpus --cuda-arch none --train --loss bce_with_logits \
    --counted --optimizer sgd --lr 0.1 -o plan
  "$smexc" check plan
  "$smexc" inspect plan | grep 'batch of edges .*room for 18 edges of pairs'
  "$run" plan "${data[@]}" --metrics whole.json
  "$run" plan "${data[@]}" "${all[@]}" --batch 18 --metrics all.json
  /usr/bin/python3 "$reference" check whole.json all.json
  "$run" plan "${data[@]}" --sample-layers rates=2,2 --sample-layers back=2,2 --batch 7 --seed 3 --metrics some.$gpus.json
done
/usr/bin/python3 - << 'PY'
import json
import numpy as np
runs = [[step["loss"] for step in json.load(open(f"some.{gpus}.json", encoding="utf-8"))["steps"]] for gpus in (1, 2, 3)]
assert len(set(runs[0])) == len(runs[0]), runs[0]
for run in runs[1:]:
    np.testing.assert_allclose(run, runs[0], rtol=1e-5)
PY
