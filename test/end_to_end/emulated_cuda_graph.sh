#!/bin/bash
# A graph network of the zoo on GPUs that are emulated: outputs, losses and
# parameters are those of plain PyTorch. Kernels may touch nothing but the
# buffers that the plan says they are given.
# usage: emulated_cuda_graph.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES LIBCUDA KNOWN_LAUNCHES FOLDER N REFERENCE COMMAND...
# FOLDER: test/models/graph; REFERENCE: whose results there; COMMAND: the zoo's.
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
zoo=$1 smexc=$2 smex_run=$3 compare=$4 matches=$5 libcuda=$6 known=$7 folder=$8 gpus=$9 name=${10} reference=$8/${10}
shift 10
work=${TEST_TMPDIR:-$(mktemp -d)}

graph_of "$folder" "$name"

"$zoo" "$@" -o "$work/model.json"
export LD_LIBRARY_PATH=$(emulated "$libcuda")
export SMEX_EMULATED_DEVICES=$gpus SMEX_EMULATED_SEED=5
# run NAME OPTION..
run() {
  "$smexc" check "$work/$1"
  assembled "$work/$1"
  "$known" "$work/$1" sm_80 "$gpus" > "$work/launches"
  [[ -s $work/launches ]] || fail "the plan launches nothing"
  SMEX_EMULATED_LAUNCHES=$work/launches "$smex_run" "$work/$1" "${inputs[@]}" --backend cuda --verify --metrics "$work/metrics.json" "${@:2}"
  grep -q emulated "$work/metrics.json" || fail "the metrics do not say that the GPU is emulated"
}
"$smexc" "$work/model.json" "${graphs[@]}" --gpus "$gpus" --cuda-arch sm_80 -o "$work/eval"
run eval --output-dir "$work/out"
"$compare" "$work/out/logits.npy" "${reference}_logits.npy"

"$smexc" "$work/model.json" "${graphs[@]}" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan" \
  --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
run plan --input "labels=$folder/$labels.npy" --steps 5 --save-parameters "$work/trained.safetensors"
"$matches" "$work/metrics.json" "${reference}_losses.npy" "$work/trained.safetensors" "${reference}_parameters"
