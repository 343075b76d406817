#!/bin/bash
# Each entry point of the driver and of CUDA's libraries that a step of training
# calls, failing once, at its first call or at its fourth: the run ends well, or
# with one message and exit status 4. It neither hangs nor crashes.
# usage: every_call.sh SMEXC SMEX_RUN LIBCUDA LIBNCCL
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 libnccl=$4
work=${TEST_TMPDIR:-$(mktemp -d)}

# Convolutions, a product, a map: on two GPUs that exchange what they need.
cat > "$work/model.json" << 'END'
{"format": "smex-model", "version": 1, "opset": 23,
 "inputs": [{"name": "image", "type": "f32", "shape": [2, 2, 4, 4]}],
 "parameters": [{"name": "first", "type": "f32", "shape": [2, 2, 3, 3], "drawn": 0.2},
                {"name": "second", "type": "f32", "shape": [2, 2, 3, 3], "drawn": 0.2},
                {"name": "weight", "type": "f32", "shape": [32, 4], "drawn": 0.2},
                {"name": "bias", "type": "f32", "shape": [4], "values": 0.0}],
 "nodes": [{"op": "Conv", "name": "conv0", "inputs": ["image", "first"], "outputs": ["conv0"],
            "attributes": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}},
           {"op": "Conv", "name": "conv1", "inputs": ["conv0", "second"], "outputs": ["conv1"],
            "attributes": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}},
           {"op": "Relu", "name": "relu", "inputs": ["conv1"], "outputs": ["relu"]},
           {"op": "Flatten", "name": "flat", "inputs": ["relu"], "outputs": ["flat"]},
           {"op": "Gemm", "name": "product", "inputs": ["flat", "weight", "bias"], "outputs": ["product"]}],
 "outputs": ["product"]}
END
"$smexc" "$work/model.json" --train --loss mse --optimizer sgd --lr 0.1 --gpus 2 --cuda-arch sm_80 -o "$work/plan" \
  > /dev/null
export LD_LIBRARY_PATH SMEX_EMULATED_DEVICES=2 SMEX_NCCL_TIMEOUT=5
LD_LIBRARY_PATH=$(emulated "$libcuda"):$(cd "$(dirname "$libnccl")" && pwd)


# run NAME: its exit status; 124 if it hangs. Choices are its own.
run() {
  mkdir "$work/$1"
  cp -r "$work/plan" "$work/$1/plan"
  SMEX_EMULATED_COUNTS=$work/$1/counts timeout 30 \
    "$smex_run" "$work/$1/plan" --backend cuda --steps 3 > "$work/$1/out" 2> "$work/$1/said"
}

# fails NAME FUNCTION CALL RESULT: says what is wrong, by status and messages.
fails() {
  local status=0 allowed=4 errors
  SMEX_EMULATED_FAIL_AT=$2:$3:$4 run "$1" || status=$?
  errors=$(grep -c 'smex-run: error:' "$work/$1/said" || true)
  # Without a graph, steps are submitted as the first one was.
  [[ $2 == cuStream*Capture* || $2 == cuGraphInstantiate* ]] && allowed=0
  [[ $status == 0 && $errors == 0 ]] || [[ $status == "$allowed" && $errors == 1 ]] ||
    echo "$2, call $3, gives $4: exit status $status, $errors errors: $(head -c 1000 "$work/$1/said")"
  rm -r "${work:?}/$1"
}

# What an entry point of each library gives where something is wrong inside.
result_of() {
  case $1 in
    cublasLt*) echo 14 ;; # CUBLAS_STATUS_INTERNAL_ERROR
    cudnn*) echo 5000 ;;  # CUDNN_STATUS_EXECUTION_FAILED
    nccl*) echo 3 ;;      # ncclInternalError
    *) echo 999 ;;        # CUDA_ERROR_UNKNOWN
  esac
}

# Peers read each other's memory, and a step is a graph; others use NCCL.
for peers in 1 0; do
  export SMEX_EMULATED_PEER=$peers
  run "whole$peers" || fail "nothing fails, and yet: $(cat "$work/whole$peers/said")"
  while read -r function count; do
    for call in 1 4; do
      [[ $function == smexEmulated* || $call -gt $count ]] ||
        echo "$peers $function $call $(result_of "$function")"
    done
  done < "$work/whole$peers/counts"
done > "$work/calls"
for library in cu[A-Z] cublasLt cudnnConvolutionBackwardData cuGraph nccl; do
  grep -q " $library" "$work/calls" || fail "the plan calls no $library"
done
[[ $(wc -l < "$work/calls") -ge 200 ]] || fail "only $(wc -l < "$work/calls") failures"

# Four at a time.
for part in 0 1 2 3; do
  awk "NR % 4 == $part" "$work/calls" | while read -r peers function call result; do
    SMEX_EMULATED_PEER=$peers fails "$peers.$function.$call" "$function" "$call" "$result"
  done > "$work/wrong$part" &
done
wait
cat "$work"/wrong?
[[ -z $(cat "$work"/wrong?) ]] || fail "see above"
echo "$(wc -l < "$work/calls") failures"
