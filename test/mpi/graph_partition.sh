#!/bin/bash
# A graph's vertices divided over the workers of several processes: PyTorch's
# losses and parameters, and the bits and counts of one process.
# usage: graph_partition.sh SMEX_ZOO SMEXC SMEX_RUN TRAINING_MATCHES FOLDER PROCESSES...
# FOLDER: test/models/graph.
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
zoo=$1 smexc=$2 smex_run=$3 matches=$4 folder=$5
shift 5
work=${TEST_TMPDIR:-$(mktemp -d)}

"$zoo" gat --heads 3 --features 12 --hidden 8 --classes 4 -o "$work/model.json" > "$work/zoo.log"
"$smexc" "$work/model.json" --graph "$folder/edges.txt" --gpus 4 --cuda-arch none --graph-partition equal-edges \
  --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4 \
  -o "$work/plan" > "$work/smexc.log"
grep -q '"rows": true' "$work/plan/program.json" || fail "no fetch gets rows"
# train NAME COMMAND...: leaves NAME.* behind.
train() {
  "${@:2}" "$smex_run" "$work/plan" --input "features=$folder/features.npy" --input "labels=$folder/labels.npy" \
    --parameters "$folder/gat.safetensors" --steps 5 --verify --metrics "$work/$1.json" \
    --save-parameters "$work/$1.safetensors" > "$work/$1.log" 2> "$work/$1.err" ||
    fail "$1: status $?: $(cat "$work/$1.err")"
  words "$work/$1.log" > "$work/$1.words"
  counted "$work/$1.json" > "$work/$1.counts"
}

train one env
"$matches" "$work/one.json" "$folder/gat_losses.npy" "$work/one.safetensors" "$folder/gat_parameters"
for processes in "$@"; do
  train "$processes" together "$processes"
  cmp "$work/one.safetensors" "$work/$processes.safetensors" || fail "$processes processes: other parameters"
  for what in words counts; do
    diff "$work/one.$what" "$work/$processes.$what" || fail "$processes processes: other $what"
  done
done
