#!/bin/bash
# One small model of the zoo: the same options give the same bytes, the schema
# holds, its plans run as the unpartitioned model does, and train: a step as it
# does up to rounding, and with --reproducible three to the bit. (Rounding would
# not do: some of these networks magnify it in three steps.)
# usage: model.sh SMEX_ZOO SMEXC SMEX_RUN VALIDATE SCHEMA LOSS 'GPUS ..' 'GPUS ..' NAME [SIZES...]
# The numbers of GPUs are those of inference, and of --reproducible training.
set -euo pipefail
zoo=$PWD/$1 smexc=$2 smex_run=$3 validate=$4 schema=$5 loss=$6 inference=$7 training=$8
shift 8
work=${TEST_TMPDIR:-$(mktemp -d)}
mkdir -p "$work/elsewhere"

"$zoo" "$@" -o "$work/model.json"
(cd "$work/elsewhere" && LC_ALL=C TZ=Asia/Tokyo "$zoo" "$@" -o again.json)
cmp "$work/model.json" "$work/elsewhere/again.json"
/usr/bin/python3 "$validate" "$schema" "$work/model.json"

for gpus in $inference; do
  "$smexc" "$work/model.json" --gpus "$gpus" --cuda-arch none -o "$work/plan"
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" --verify
done
for gpus in $training; do
  "$smexc" "$work/model.json" --train --loss "$loss" --optimizer momentum --lr 0.01 --reproducible \
    --gpus "$gpus" --cuda-arch none -o "$work/plan"
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" --steps 3 --verify | tee "$work/log"
  grep -q "every output is bit-equal" "$work/log"
done
# With code for GPUs, which the training step has of all operators.
"$smexc" "$work/model.json" --train --loss "$loss" --optimizer momentum --lr 0.01 --gpus 8 -o "$work/plan"
"$smexc" check "$work/plan"
"$smex_run" "$work/plan" --verify
