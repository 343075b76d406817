#!/bin/bash
# A compiled plan has the waits that it needs and no other: without any of them
# it is unsound, and smexc check finds it.
# usage: waits.sh SMEX_ZOO SMEXC WITHOUT_WAIT GPUS LOSS MODEL [SIZES...]
set -euo pipefail
zoo=$1 smexc=$2 without=$3 gpus=$4 loss=$5
shift 5
work=${TEST_TMPDIR:-$(mktemp -d)}
"$zoo" "$@" -o "$work/model.json"
"$smexc" "$work/model.json" --gpus "$gpus" --cuda-arch none --train --loss "$loss" --optimizer adagrad --lr 0.01 -o "$work/plan"
"$smexc" check "$work/plan"
"$without" "$work/plan" 400
