#!/bin/bash
# What cuDNN may lack for a plan with convolutions on GPUs: one message each,
# exit status 4, and nothing written.
# usage: emulated_cudnn_errors.sh SMEXC SMEX_RUN LIBCUDA WITHOUT_SYMBOL LIBCUDNN MODEL
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 without_symbol=$4 libcudnn=$5 model=$6
work=${TEST_TMPDIR:-$(mktemp -d)}
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 -o "$work/plan" > /dev/null
cuda=$(cd "$(dirname "$libcuda")" && pwd) cudnn=$(cd "$(dirname "$libcudnn")" && pwd)
cuda+=:$(dirname "$cuda")/cublaslt # for the model's product

# refused WHAT MESSAGE [VARIABLE=VALUE..]
refused() {
  local what=$1 message=$2 status=0
  shift 2
  rm -rf "$work/out" "$work/plan/choices.json" # nothing has been chosen before
  env LD_LIBRARY_PATH="$cuda:$cudnn" SMEX_EMULATED_DEVICES=2 "$@" \
    "$smex_run" "$work/plan" --backend cuda --output-dir "$work/out" \
    > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == 4 ]] || fail "$what: exit status $status: $(cat "$work/stderr")"
  grep -qF -- "$message" "$work/stderr" || fail "$what: says $(cat "$work/stderr")"
  [[ $(grep -c '^smex-run: error:' "$work/stderr") == 1 ]] || fail "$what: more than one message"
  [[ ! -e $work/out/output0.npy ]] || fail "$what: outputs are written"
}

# without FILE: a folder of the library's files, in which this one is none. (It
# hides one that is installed.)
without() {
  rm -rf "$work/lacking"
  mkdir "$work/lacking"
  cp "$cudnn"/libcudnn*.so.9 "$work/lacking"
  rm -f "$work/lacking/$1"
  touch "$work/lacking/$1"
}

without libcudnn.so.9
refused "no library" "no cuDNN 9, which convolutions on GPUs need: " LD_LIBRARY_PATH="$cuda:$work/lacking"
cp "$libcudnn" "$work/lacking/libcudnn.so.8"
refused "an older library alone" "which convolutions on GPUs need: there is only $work/lacking/libcudnn.so.8" \
  LD_LIBRARY_PATH="$cuda:$work/lacking"
without libcudnn_cnn.so.9
refused "a part is missing" "cuDNN is not whole: libcudnn_cnn.so.9 is neither beside" \
  LD_LIBRARY_PATH="$cuda:$work/lacking"
cp "$cudnn/libcudnn_cnn.so.9" "$work/lacking" && chmod u+w "$work/lacking/libcudnn_cnn.so.9"
truncate -s 4000 "$work/lacking/libcudnn_cnn.so.9"
refused "a part is cut off" "cuDNN is not whole: $work/lacking/libcudnn_cnn.so.9 is cut off: it has 4000 bytes" \
  LD_LIBRARY_PATH="$cuda:$work/lacking"
without libcudnn.so.9
"$without_symbol" "$libcudnn" cudnnSetConvolutionGroupCount "$work/lacking/libcudnn.so.9"
refused "a function is missing" "has no cudnnSetConvolutionGroupCount" LD_LIBRARY_PATH="$cuda:$work/lacking"
refused "another major version" "cuDNN is of version 10.2.0, and 9 is needed" SMEX_EMULATED_CUDNN_VERSION=100200
refused "an older major version" "cuDNN is of version 8.9.7, and 9 is needed" SMEX_EMULATED_CUDNN_VERSION=8907
refused "parts of different versions" "libcudnn_cnn.so.9: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH (1002)" \
  SMEX_EMULATED_FAIL_AT=cudnnCnnVersionCheck:1:1002
refused "no handle" "cudnnCreate: CUDNN_STATUS_NOT_INITIALIZED (1001)" SMEX_EMULATED_FAIL_AT=cudnnCreate:2:1001
refused "a descriptor that is refused" "cudnnSetFilterNdDescriptor: CUDNN_STATUS_NOT_SUPPORTED" \
  SMEX_EMULATED_FAIL_AT=cudnnSetFilterNdDescriptor:3:3000
refused "no algorithm" "cuDNN has no algorithm for this convolution that does with the plan's workspace of" \
  SMEX_EMULATED_CUDNN_NO_ALGORITHM=1
refused "a call that fails" "cudnnConvolutionForward: CUDNN_STATUS_EXECUTION_FAILED (5000)" \
  SMEX_EMULATED_FAIL_AT=cudnnConvolutionForward:2:5000

# What has been chosen once is kept, and not asked for again.
run() { LD_LIBRARY_PATH="$cuda:$cudnn" "$smex_run" "$work/plan" --backend cuda --verify > "$work/stdout"; }
run
grep -q '"library": *"cuDNN 9' "$work/plan/choices.json" || fail "no choice of cuDNN is kept"
SMEX_EMULATED_CUDNN_NO_ALGORITHM=1 run || fail "a choice that is kept is asked for again"

# A plan without convolutions needs no such library, and on its processor the
# plan runs without.
without libcudnn.so.9
LD_LIBRARY_PATH="$cuda:$work/lacking" "$smex_run" "$work/plan" --backend cpu > "$work/stdout"
grep -q 'ran on cpu' "$work/stdout" || fail "does not run on the CPU"
