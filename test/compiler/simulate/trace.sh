#!/bin/bash
# What smexc simulate predicts of real plans against what a run on the CPU does:
# bytes and peaks are equal, and events come in an order that both agree on.
# Everything written is as its schema says.
# usage: trace.sh SMEX_ZOO SMEXC SMEX_RUN SAME_ORDER
set -euo pipefail
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 order=$PWD/$4 schemas=$PWD/compiler/simulate
cd "${TEST_TMPDIR:-$(mktemp -d)}"
compare() {
  local gpus=$1
  shift
  "$zoo" "$@" -o model.json > zoo.log
  "$smexc" model.json "${train[@]}" --gpus "$gpus" -o plan > smexc.log
  "$smexc" simulate plan --machine p2.8xlarge --json predicted.json --trace predicted.trace.json > simulate.log
  "$run" plan --metrics metrics.json --trace run.trace.json > run.log
  /usr/bin/python3 "$order" "$schemas" plan predicted.json predicted.trace.json metrics.json run.trace.json
}
train=()
compare 8 mlp --layers 3 --hidden 24 --input 20 --classes 10 --batch 8
compare 3 wresnet --depth 50 --width 2 --channels 2 --image 32 --classes 10 --batch 8
train=(--train --loss mse --optimizer adagrad --lr 0.01)
compare 4 rnn --layers 3 --hidden 16 --steps 4 --input 12 --batch 8
