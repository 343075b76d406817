#!/bin/bash
# usage: toulbar2_zoo.sh SMEX_ZOO SMEXC GPUS LOSS NAME [SIZES...]
# toulbar2.sh for the training graph of a model of the zoo.
set -euo pipefail
zoo=$1 smexc=$2 gpus=$3 loss=$4
shift 4
work=${TEST_TMPDIR:-$(mktemp -d)}
"$zoo" "$@" -o "$work/model.json"
exec "$(dirname "$0")/toulbar2.sh" "$smexc" "$work/model.json" "$gpus" --train --loss "$loss" --optimizer momentum
