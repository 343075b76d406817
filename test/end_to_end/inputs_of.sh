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

# graph_of FOLDER NAME: of the networks whose results are in test/models/graph.
# Sets `graphs`, arguments of smexc, `inputs`, of smex-run, and `labels`, the
# name of the labels' file.
graph_of() {
  local relation graph
  graphs=(--graph "$1/edges.mtx") inputs=(--input "features=$1/features.npy") labels=labels
  case $2 in
    gat | gcn) graphs=(--graph "$1/edges.txt") ;;
    gcn-weights) graphs=(--graph "$1/weighted.mtx") ;;
    graph-transformer | nnconv)
      graphs=(--graph "$1/weighted.mtx")
      inputs+=(--input "edge_features=$1/edge_features.npy")
      ;;
    treelstm) graphs=(--graph "$1/forest.txt") inputs=(--input "words=$1/words.npy") ;;
    gin-* | changing-*)
      graphs=() labels=graph_labels
      for graph in "$1"/batch/*.mtx; do
        graphs+=(--graph "$graph")
      done
      ;;
    hetero-*)
      graphs=() inputs=(--input "users=$1/features.npy" --input "items=$1/items.npy")
      for relation in follows rates rated_by; do
        graphs+=(--graph "$relation=$1/$relation.mtx")
        [[ $2 != hetero-transformer ]] || inputs+=(--input "$relation/features=$1/${relation}_features.npy")
      done
      ;;
  esac
  inputs+=(--parameters "$1/$2.safetensors")
}

# emulated LIBCUDA: the folders of it and of the other emulated libraries that
# the test has, for LD_LIBRARY_PATH.
emulated() {
  local folder
  folder=$(cd "$(dirname "$1")" && pwd)
  echo "$folder:$(dirname "$folder")/cublaslt:$(dirname "$folder")/cudnn"
}

# assembled PLAN: CUDA's assembler, where a machine has one, takes the plan's code
# for the first and the last architecture that it knows of those with code.
assembled() {
  local ptxas arch text known=()
  ptxas=$(PATH=$PATH:/usr/local/cuda/bin command -v ptxas) || return 0
  text=$("$ptxas" --help)
  for arch in sm_80 sm_86 sm_89 sm_90 sm_100 sm_120; do
    [[ $text != *"'$arch'"* ]] || known+=("$arch")
  done
  for arch in "${known[0]}" "${known[-1]}"; do
    "$ptxas" -arch="$arch" -o /dev/null "$1/kernels.sm_80.ptx" || fail "ptxas does not take the code for $arch"
  done
}
