#!/bin/bash
# What smexc simulate predicts of a model's plans against what a run on the CPU
# does: bytes and peaks are equal, GPU by GPU, and events come in an order that
# both agree on. Everything written is as its schema says.
# usage: trace.sh SMEX_ZOO SMEXC SMEX_RUN SAME_ORDER LOSS MODEL [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 order=$PWD/$4 loss=$5 compiler=$PWD/compiler
shift 5
cd "${TEST_TMPDIR:-$(mktemp -d)}"
"$zoo" "$@" -o model.json > zoo.log
compare() {
  "$smexc" model.json "$@" -o plan > smexc.log
  "$smexc" check plan
  "$smexc" simulate plan --machine p2.8xlarge --json predicted.json --trace predicted.trace.json > simulate.log
  "$run" plan --metrics metrics.json --trace run.trace.json > run.log
  "$smexc" inspect plan --json > workers.json
  /usr/bin/python3 "$order" "$compiler" plan workers.json predicted.json predicted.trace.json metrics.json run.trace.json
}
compare --gpus 3
compare --gpus 8 --train --loss "$loss" --optimizer adagrad --lr 0.01
