#!/bin/bash
# A real model on the workers of several processes: the same bits as in one, the
# same counts, the same words, said once.
# usage: model.sh SMEXC SMEX_RUN COMPARE_NPY MODEL_DIR GPUS PROCESSES...
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 compare=$3 model=$4 gpus=$5
shift 5
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus "$gpus" --cuda-arch none -o "$work/plan"
# run NAME COMMAND...: leaves NAME.* behind.
run() {
  "${@:2}" "$smex_run" "$work/plan" "${inputs[@]}" --verify --steps 2 --output-dir "$work/$1.out" \
    --metrics "$work/$1.json" --trace "$work/$1.trace" > "$work/$1.log" 2> "$work/$1.err" ||
    fail "$1: status $?: $(cat "$work/$1.err")"
  words "$work/$1.log" > "$work/$1.words"
  counted "$work/$1.json" > "$work/$1.counts"
  grep -o '"instruction": *[0-9]*\|"tid": *[0-9]*' "$work/$1.trace" | sort > "$work/$1.events"
}

run one env
for expected in "$model"/outputs/*.npy; do
  "$compare" "$work/one.out/$(basename "$expected")" "$expected" --tolerance 1e-4
done
for processes in "$@"; do
  run "$processes" together "$processes"
  for output in "$work"/one.out/*.npy; do
    cmp "$output" "$work/$processes.out/$(basename "$output")" ||
      fail "$processes processes: other bits"
  done
  [[ $(ls "$work/$processes.out") == "$(ls "$work/one.out")" ]] || fail "other outputs"
  for what in words counts events; do
    diff "$work/one.$what" "$work/$processes.$what" || fail "$processes processes: other $what"
  done
  [[ ! -s $work/$processes.err ]] || fail "$processes processes say $(cat "$work/$processes.err")"
done
