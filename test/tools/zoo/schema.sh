#!/bin/bash
# A model of the zoo is as the published schema says, with dropout and without;
# without, the option leaves no trace.
# usage: schema.sh SMEX_ZOO VALIDATE SCHEMA NAME
set -euo pipefail
zoo=$1 validate=$2 schema=$3 name=$4
work=${TEST_TMPDIR:-$(mktemp -d)}

"$zoo" "$name" -o "$work/plain.json"
"$zoo" "$name" --dropout 0 -o "$work/none.json"
cmp "$work/plain.json" "$work/none.json"
"$zoo" "$name" --dropout 0.6 -o "$work/dropout.json"
grep -q '"training"' "$work/dropout.json"
grep -q -- '--dropout 0.6"' "$work/dropout.json"
models="plain dropout"
if [ "$name" = gin ]; then
  "$zoo" gin --readout none -o "$work/none.json"
  cmp "$work/plain.json" "$work/none.json"
  "$zoo" gin --readout max -o "$work/readout.json"
  grep -q -- '--readout max"' "$work/readout.json"
  models+=" readout"
fi
for model in $models; do
  /usr/bin/python3 "$validate" "$schema" "$work/$model.json"
done
