#!/bin/bash
# One small model of the zoo: the same options give the same bytes, the schema
# holds, and its plans run as the unpartitioned model does.
# usage: model.sh SMEX_ZOO SMEXC SMEX_RUN VALIDATE SCHEMA NAME [SIZES...]
set -euo pipefail
zoo=$PWD/$1 smexc=$2 smex_run=$3 validate=$4 schema=$5
shift 5
work=${TEST_TMPDIR:-$(mktemp -d)}
mkdir -p "$work/elsewhere"

"$zoo" "$@" -o "$work/model.json"
(cd "$work/elsewhere" && LC_ALL=C TZ=Asia/Tokyo "$zoo" "$@" -o again.json)
cmp "$work/model.json" "$work/elsewhere/again.json"
/usr/bin/python3 "$validate" "$schema" "$work/model.json"

for gpus in 1 3 8; do
  "$smexc" "$work/model.json" --gpus "$gpus" -o "$work/plan"
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" --verify
done
