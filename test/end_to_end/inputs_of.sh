#!/bin/bash
# What tests of models share; sourced.

fail() {
  echo "FAILED: $*"
  exit 1
}

# inputs_of MODEL: a file, run on synthetic inputs, or a folder of test/models.
# Sets `file`, `constants`, arguments of smexc, and `inputs`, of smex-run, to which
# those in the folder's run.txt belong.
inputs_of() {
  inputs=() constants=()
  file=$1
  if [[ -d $1 ]]; then
    file=$1/model.onnx
    for input in "$1"/inputs/*.npy; do
      inputs+=(--input "$(basename "$input" .npy)=$input")
    done
    [ ! -e "$1/run.txt" ] || read -ra inputs <<< "$(< "$1/run.txt") ${inputs[*]}"
    for constant in "$1"/constants/*.npy; do
      [ ! -e "$constant" ] || constants+=(--constant "$(basename "$constant" .npy)=$constant")
    done
  fi
}

# emulated LIBCUDA: the folders of it and of the other emulated libraries that
# the test has, for LD_LIBRARY_PATH.
emulated() {
  local folder
  folder=$(cd "$(dirname "$1")" && pwd)
  echo "$folder:$(dirname "$folder")/cublaslt:$(dirname "$folder")/cudnn"
}
