#!/bin/bash
# cuBLASLt that is missing, of another version, or fails: one message each, exit
# status 4. And what it has chosen is kept beside the plan, where nothing that
# is wrong with it is in the way.
# usage: emulated_cublaslt.sh SMEXC SMEX_RUN LIBCUDA LIBCUBLASLT WITHOUT_SYMBOL MODEL
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 library=$4 without_symbol=$5 model=$6
work=${TEST_TMPDIR:-$(mktemp -d)}
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 -o "$work/plan" > /dev/null
cuda=$(cd "$(dirname "$libcuda")" && pwd)

run() { # FOLDER [VARIABLE=VALUE..]
  status=0
  env LD_LIBRARY_PATH="$cuda:$1" SMEX_EMULATED_DEVICES=2 "${@:2}" \
    "$smex_run" "$work/plan" --backend "${backend:-cuda}" ${option:-} --verify \
    > "$work/stdout" 2> "$work/stderr" || status=$?
}
refused() { # WHAT MESSAGE FOLDER [VARIABLE=VALUE..]
  rm -f "$work/plan/choices.json"
  run "${@:3}"
  [[ $status == 4 ]] || fail "$1: exit status $status: $(cat "$work/stderr")"
  grep -qF -- "$2" "$work/stderr" || fail "$1: says $(cat "$work/stderr")"
  [[ $(grep -c '^smex-run: error:' "$work/stderr") == 1 ]] || fail "$1: more than one message"
}
works() { # WHAT FOLDER [VARIABLE=VALUE..]
  run "${@:2}"
  [[ $status == 0 ]] || fail "$1: exit status $status: $(cat "$work/stderr")"
}
as() { # FOLDER NAME: the library under another name
  mkdir -p "$work/$1"
  cp "$library" "$work/$1/$2"
}
as good libcublasLt.so.13
good=$work/good

# Files that are no libraries hide those of a machine that has NVIDIA's.
hide() { # FOLDER MAJOR..
  mkdir -p "$work/$1"
  for major in "${@:2}"; do : > "$work/$1/libcublasLt.so.$major"; done
}
hide none 10 11 12 13 14
refused "no library" "need cuBLASLt of CUDA 12 or 13, and it is missing: $work/none/libcublasLt.so.13" "$work/none"
backend=auto works "no library, and no backend is asked for" "$work/none"
grep -q 'ran on cpu' "$work/stdout" || fail "auto does not fall back to the CPU"
grep -q 'note: runs on the processor: node ".*": the plan.s matrix products need cuBLASLt' "$work/stderr" ||
  fail "auto does not say why: $(cat "$work/stderr")"
as old libcublasLt.so.11
hide old 12 13 14
refused "an old library" "and there is only libcublasLt.so.11" "$work/old"
refused "a library of another version than its name" \
  "and libcublasLt.so.13 is of version 12.9.0" "$good" SMEX_EMULATED_CUBLASLT_VERSION=120900
as twelve libcublasLt.so.12
hide twelve 13
works "a library of CUDA 12" "$work/twelve" SMEX_EMULATED_CUBLASLT_VERSION=120900
hide good 12
refused "a library that is newer than the driver" \
  "the driver is for CUDA 12: libcublasLt.so.13 is too new for it" "$good" SMEX_EMULATED_DRIVER=12080
mkdir "$work/lacking"
"$without_symbol" "$library" cublasLtMatmulAlgoCheck "$work/lacking/libcublasLt.so.13"
refused "a library without an entry point" "libcublasLt.so.13 has no cublasLtMatmulAlgoCheck" "$work/lacking"
refused "no handle" "cublasLtCreate: CUBLAS_STATUS_NOT_INITIALIZED (1)" "$good" \
  SMEX_EMULATED_FAIL_AT=cublasLtCreate:1:1
refused "no descriptor" "cublasLtMatrixLayoutCreate: CUBLAS_STATUS_ALLOC_FAILED (3)" "$good" \
  SMEX_EMULATED_FAIL_AT=cublasLtMatrixLayoutCreate:2:3
refused "a call that fails" "cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED (13)" "$good" \
  SMEX_EMULATED_FAIL_AT=cublasLtMatmul:2:13
refused "no algorithm" "cublasLtMatmulAlgoGetHeuristic, matmul f32 to f32" "$good" \
  SMEX_EMULATED_CUBLASLT_HEURISTICS=0

# What was chosen is used again: nothing is asked for.
choices=$work/plan/choices.json
rm -f "$choices"
works "a first run" "$good"
[[ -s $choices ]] || fail "no choices are kept"
"$smexc" check "$work/plan" || fail "choices are in the way of check"
cp "$choices" "$work/first.json"
works "a second run" "$good" SMEX_EMULATED_FAIL_AT=cublasLtMatmulAlgoGetHeuristic:1:15
cmp "$choices" "$work/first.json" || fail "a second run writes other choices"
[[ ! -s $work/stderr ]] || fail "a second run says $(cat "$work/stderr")"

# Of another version: both are kept.
works "a newer library" "$good" SMEX_EMULATED_CUBLASLT_VERSION=130200
grep -q 'cuBLASLt 13.1.0' "$choices" && grep -q 'cuBLASLt 13.2.0' "$choices" || fail "choices of one version are lost"
works "the first library again" "$good" SMEX_EMULATED_FAIL_AT=cublasLtMatmulAlgoGetHeuristic:1:15

# Broken, of algorithms that the library refuses, a link, and a folder.
noted() { # WHAT MESSAGE
  works "$1" "$good"
  grep -qF "note: $2" "$work/stderr" || fail "$1: no note: $(cat "$work/stderr")"
}
head -c 200 "$work/first.json" > "$choices"
noted "broken choices" "$work/plan/choices.json is not used"
cmp "$choices" "$work/first.json" || fail "broken choices are not mended"
rm "$choices"
ln -s "$work/first.json" "$choices"
noted "choices that are a link" "$work/plan/choices.json is not used: it is a link"
rm "$choices"
mkdir "$choices"
noted "choices that cannot be written" "the algorithms that libraries have chosen are not kept"
rmdir "$choices"

# Only algorithms that add up in one order.
option=--reproducible works "reproducible" "$good"
grep -q 'reductions 0"' "$choices" || fail "--reproducible allows reductions"
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 -o "$work/plan" > /dev/null || fail "a plan with choices is not replaced"
