#!/bin/bash
# Samples, walks and layers' samples of a graph, drawn on the workers of several
# processes: the bits of one process; stopped and resumed in more of them, too.
# usage: samples.sh SMEX_ZOO SMEXC SMEX_RUN FOLDER PROCESSES...
# FOLDER: test/models/graph.
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
zoo=$1 smexc=$2 smex_run=$3 folder=$4
shift 4
work=${TEST_TMPDIR:-$(mktemp -d)}

"$zoo" sage --layers 2 --features 12 --hidden 8 --classes 5 -o "$work/model.json" > "$work/zoo.log"
# plan NAME OPTION...
plan() {
  "$smexc" "$work/model.json" --dim nodes=200 --dim edges=600 --gpus 3 --cuda-arch none --train --loss cross_entropy \
    --ignore-index -1 --optimizer adam --lr 0.01 -o "$work/$1" "${@:2}" > "$work/smexc.log"
}
plan whole
plan layers --sample-layers 2,3 --batch 8
# train PLAN NAME OPTION... -- COMMAND...: leaves NAME.* behind.
train() {
  local plan=$1 name=$2 options=()
  shift 2
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  "$@" "$smex_run" "$work/$plan" --graph "$folder/edges.txt" --input "features=$folder/features.npy" \
    --input "labels=$folder/labels.npy" --batch 8 --seed 7 "${options[@]}" --metrics "$work/$name.json" \
    --save-parameters "$work/$name.safetensors" > "$work/$name.log" 2> "$work/$name.err" ||
    fail "$name: status $?: $(cat "$work/$name.err")"
  counted "$work/$name.json" > "$work/$name.counts"
}
# alike PLAN OPTION...
alike() {
  local plan=$1
  shift
  train "$plan" one "$@" --steps 4 -- env
  for processes in "${counts[@]}"; do
    train "$plan" all "$@" --steps 4 --verify -- together "$processes"
    cmp "$work/one.safetensors" "$work/all.safetensors" || fail "$*, $processes processes: other parameters"
    cmp "$work/one.counts" "$work/all.counts" || fail "$*, $processes processes: other losses or bytes"
    rm -rf "$work/checkpoints"
    train "$plan" half "$@" --steps 2 --checkpoint-dir "$work/checkpoints" -- env
    train "$plan" rest "$@" --steps 4 --checkpoint-dir "$work/checkpoints" --resume -- together "$processes"
    cmp "$work/one.safetensors" "$work/rest.safetensors" || fail "$*, resumed in $processes processes: other parameters"
  done
}
counts=("$@")
alike whole --sample 2,3
alike whole --walk 4
alike layers --sample-layers 2,3
