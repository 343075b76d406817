#!/bin/bash
# Training on emulated GPUs gives PyTorch's losses and parameters; a run that
# is resumed, the same bits. Kernels may touch nothing but the buffers that the
# plan says they are given.
# usage: emulated_cuda_training.sh SMEXC SMEX_RUN TRAINING_MATCHES LIBCUDA KNOWN_LAUNCHES MODEL_DIR N OPTION...
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 matches=$3 libcuda=$4 known=$5 model=$6 gpus=$7
shift 7
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --train "$@" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan"
assembled "$work/plan"
export LD_LIBRARY_PATH=$(emulated "$libcuda")
export SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_SEED=3
"$known" "$work/plan" sm_80 2 > "$work/launches"
[[ -s $work/launches ]] || fail "the plan launches nothing"
export SMEX_EMULATED_LAUNCHES=$work/launches
run() {
  "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda "$@"
}
SMEX_EMULATED_LOG=$work/log \
  run --steps 6 --verify --metrics "$work/metrics.json" --save-parameters "$work/trained.safetensors"
"$matches" "$work/metrics.json" "$model/losses.npy" "$work/trained.safetensors" "$model/parameters"
grep -q 'a graph of [0-9]* nodes is launched' "$work/log" || fail "steps are no CUDA graph"

# Submitted one by one, and where the driver makes no graph: the same bits, the
# same bytes.
same() { # WHAT OPTION..
  run --steps 6 --metrics "$work/same.json" --save-parameters "$work/same.safetensors" "${@:2}" 2> "$work/stderr"
  cmp "$work/trained.safetensors" "$work/same.safetensors" || fail "$1: other parameters"
  for file in metrics same; do
    grep -o '"communication_bytes": [0-9]*' "$work/$file.json" > "$work/$file.bytes"
  done
  cmp "$work/metrics.bytes" "$work/same.bytes" || fail "$1: other counted bytes"
}
SMEX_EMULATED_LOG=$work/eager.log same "eager" --no-cuda-graphs
! grep -q 'nodes is launched' "$work/eager.log" || fail "--no-cuda-graphs makes a graph"
SMEX_EMULATED_FAIL_AT=cuGraphInstantiateWithFlags:1:801 same "no graph"
grep -q 'note: steps are submitted instruction by instruction' "$work/stderr" || fail "no note where there is no graph"

# What fails in the graph, or as it is launched, ends the run with all of its
# workers, on whichever GPU it is.
failing() { # WHAT MESSAGE VARIABLE=VALUE
  local status=0
  env "$3" timeout 60 "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda --steps 6 \
    > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == 4 ]] || fail "$1: exit status $status: $(cat "$work/stderr")"
  grep -q "$2" "$work/stderr" || fail "$1: says $(cat "$work/stderr")"
}
failing "a launch of the graph" 'launching the graph of a step: CUDA_ERROR_LAUNCH_FAILED' SMEX_EMULATED_FAIL_AT=cuGraphLaunch:2:719
failing "a kernel of the graph" 'the graph of a step: CUDA_ERROR_LAUNCH_FAILED' \
  "SMEX_EMULATED_FAULT=device 0 of a graph:40"
if [[ $gpus != 1 ]]; then
  failing "a kernel on another GPU" 'GPU 1: doing the graph of a step: CUDA_ERROR_LAUNCH_FAILED' \
    "SMEX_EMULATED_FAULT=device 1 of a graph:40"
fi

# Half of it, and then the rest from the checkpoint: the same bits.
run --steps 3 --checkpoint-dir "$work/checkpoints" --checkpoint-every 3
run --steps 6 --checkpoint-dir "$work/checkpoints" --resume --save-parameters "$work/resumed.safetensors"
cmp "$work/trained.safetensors" "$work/resumed.safetensors" || fail "the resumed run has other parameters"
