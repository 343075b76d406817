#!/bin/bash
# What tests of training share; sourced.

fail() {
  echo "FAILED: $*"
  exit 1
}

# inputs_of MODEL: a file, run on synthetic inputs, or a folder of
# test/models/training. Sets `file`, and `inputs`, arguments of smex-run.
inputs_of() {
  inputs=()
  file=$1
  if [[ -d $1 ]]; then
    file=$1/model.onnx
    for input in "$1"/inputs/*.npy; do
      inputs+=(--input "$(basename "$input" .npy)=$input")
    done
  fi
}
