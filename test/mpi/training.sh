#!/bin/bash
# Training on the workers of several processes: PyTorch's losses and parameters,
# and the bits of one process; stopped and resumed, too.
# usage: training.sh SMEXC SMEX_RUN TRAINING_MATCHES MODEL_DIR GPUS OPTIONS PROCESSES...
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 matches=$3 model=$4 gpus=$5 options=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
# shellcheck disable=SC2086
"$smexc" "$file" "${constants[@]}" --train $options --gpus "$gpus" --cuda-arch none -o "$work/plan"
# train NAME COMMAND... -- OPTION...: leaves NAME.* behind.
train() {
  local name=$1 command=()
  shift
  while [[ $1 != -- ]]; do
    command+=("$1")
    shift
  done
  shift
  "${command[@]}" "$smex_run" "$work/plan" "${inputs[@]}" "$@" \
    --metrics "$work/$name.json" --save-parameters "$work/$name.safetensors" \
    --output-dir "$work/$name.out" > "$work/$name.log" 2> "$work/$name.err" ||
    fail "$name: status $?: $(cat "$work/$name.err")"
  words "$work/$name.log" > "$work/$name.words"
  counted "$work/$name.json" > "$work/$name.counts"
}
# same NAME WHAT...: as in one process.
same() {
  local what
  for what in safetensors "${@:2}"; do
    cmp "$work/one.$what" "$work/$1.$what" || fail "$1: other $what"
  done
  diff -r "$work/one.out" "$work/$1.out" || fail "$1: other outputs"
}

train one env -- --steps 6 --verify
"$matches" "$work/one.json" "$model/losses.npy" "$work/one.safetensors" "$model/parameters"
for processes in "$@"; do
  train "all$processes" together "$processes" -- --steps 6 --verify
  same "all$processes" counts words
  # Half of it in other processes, or in one.
  train "half$processes" together "$processes" -- --steps 3 --checkpoint-dir "$work/ck$processes"
  cp -r "$work/ck$processes" "$work/alone$processes"
  train "rest$processes" together 2 -- --steps 6 --checkpoint-dir "$work/ck$processes" --resume
  grep -q "resumes after step 3" "$work/rest$processes.log" || fail "it began anew"
  same "rest$processes"
  train "alone$processes" env -- --steps 6 --checkpoint-dir "$work/alone$processes" --resume
  same "alone$processes"
  # With nothing left to do.
  together "$processes" "$smex_run" "$work/plan" "${inputs[@]}" --steps 6 --resume \
    --checkpoint-dir "$work/ck$processes" --save-parameters "$work/again.safetensors"
  cmp "$work/one.safetensors" "$work/again.safetensors" || fail "with nothing left: other parameters"
done
