#!/bin/bash
# What a machine may lack for a plan on GPUs: one message each, exit status 4,
# and nothing written.
# usage: emulated_cuda_errors.sh SMEXC SMEX_RUN LIBCUDA WITHOUT_SYMBOL MODEL
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 without_symbol=$4 model=$5
work=${TEST_TMPDIR:-$(mktemp -d)}
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 -o "$work/plan" > /dev/null
"$smexc" "$model" --gpus 2 --cuda-arch sm_90 -o "$work/hopper" > /dev/null
"$smexc" "$model" --gpus 2 --cuda-arch none -o "$work/cpu" > /dev/null
with=$(emulated "$libcuda")

# refused WHAT PLAN MESSAGE [VARIABLE=VALUE..]
refused() {
  local what=$1 plan=$2 message=$3 status=0
  shift 3
  rm -rf "$work/out"
  env LD_LIBRARY_PATH="$with" SMEX_EMULATED_ARCH=80 SMEX_EMULATED_DEVICES=2 "$@" \
    "$smex_run" "$work/$plan" --backend cuda --steps "${steps:-1}" --output-dir "$work/out" \
    > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == "${expected:-4}" ]] || fail "$what: exit status $status: $(cat "$work/stderr")"
  grep -qF -- "$message" "$work/stderr" || fail "$what: says $(cat "$work/stderr")"
  [[ $(grep -c '^smex-run: error:' "$work/stderr") == 1 ]] || fail "$what: more than one message"
  [[ ! -e $work/out/output0.npy ]] || fail "$what: outputs are written"
}

refused "no driver" plan "no CUDA driver" LD_LIBRARY_PATH=
refused "no GPU" plan "the CUDA driver finds no GPU" SMEX_EMULATED_DEVICES=0
refused "GPUs that are hidden" plan \
  'the CUDA driver finds no GPU, where CUDA_VISIBLE_DEVICES is "": it says which GPUs may be used; without one, run with --backend cpu' \
  CUDA_VISIBLE_DEVICES=
refused "a GPU that is hidden by a number that none has" plan \
  'finds no GPU, where CUDA_VISIBLE_DEVICES is "7"' CUDA_VISIBLE_DEVICES=7
refused "the toolkit's stub" plan \
  "/libcuda.so.1 is no driver, but the stub of a CUDA toolkit" SMEX_EMULATED_FAIL_AT=cuInit:1:34
refused "an old driver" plan "the CUDA driver is of version 11.4, and 11.8 is needed" \
  SMEX_EMULATED_DRIVER=11040
refused "a GPU that is too small" plan "is too small: its workers need" SMEX_EMULATED_MEMORY=65536
[[ $(< "$work/stderr") != *"of them together"* ]] || fail "each GPU has one worker: $(cat "$work/stderr")"
refused "a GPU that is too small for all who share it" plan ", 2 of them together, and" \
  SMEX_EMULATED_MEMORY=98304 SMEX_EMULATED_DEVICES=1
refused "GPUs of unlike memory" plan "GPU 1 (emulated sm_80 device) is too small: its workers need" \
  SMEX_EMULATED_MEMORY=1073741824,65536
refused "a GPU that others use" plan "GPU 0 (emulated sm_80 device) has too little memory left: its workers need" \
  SMEX_EMULATED_USED=1073700000
grep -q ' are free; end what else uses this GPU, or compile' "$work/stderr" ||
  fail "others use the GPU: says $(cat "$work/stderr")"
refused "memory that is free, and is not given" plan \
  "GPU 0 (emulated sm_80 device) refuses memory that it says is free: its workers need" \
  SMEX_EMULATED_FAIL_AT=cuMemAlloc_v2:1:2
grep -q 'it may be in pieces, or reserved, or more than this process may have: end what else' "$work/stderr" ||
  fail "memory that is not given: says $(cat "$work/stderr")"
mkdir "$work/no_nccl"
touch "$work/no_nccl/libnccl.so.2" # found before any that is installed
refused "GPUs that do not reach each other, without NCCL" plan \
  "GPUs that do not read each other's memory need NCCL: " SMEX_EMULATED_PEER=0 \
  LD_LIBRARY_PATH="$with:$work/no_nccl"
refused "code for a newer GPU" hopper \
  "the plan's kernels are for x86-64-v3, sm_90, and GPU 0 (emulated sm_80 device) is sm_80"
refused "code that is too new for the driver" hopper \
  "the plan's kernels.sm_90.ptx needs a driver of CUDA 12.0, and this one is of 11.8; install" \
  SMEX_EMULATED_ARCH=90 SMEX_EMULATED_DRIVER=11080
refused "code for processors alone" cpu "the plan's kernels are for x86-64-v3, and GPU 0"
refused "a GPU before Ampere" plan \
  "GPU 1 (emulated sm_75 device) is sm_75, and GPUs before Ampere (sm_80) are not supported; run with --backend cpu" SMEX_EMULATED_ARCH=80,75
# The first code that is loaded is smex-run's own.
expected=1 refused "code that does not compile" plan \
  "error: $work/plan/kernels.sm_80.ptx: loading its code: CUDA_ERROR_INVALID_PTX" \
  SMEX_EMULATED_FAIL_AT=cuModuleLoadDataEx:2:218
for seconds in 0 -3 x; do
  expected=1 refused "a timeout of $seconds" plan \
    "error: SMEX_NCCL_TIMEOUT=$seconds: give a number of seconds that is greater than 0" SMEX_NCCL_TIMEOUT=$seconds
done
refused "no stream" plan "making a stream: CUDA_ERROR_OUT_OF_MEMORY" \
  SMEX_EMULATED_FAIL_AT=cuStreamCreate:2:2
refused "a launch that fails" plan "launching a kernel: CUDA_ERROR_LAUNCH_FAILED" \
  SMEX_EMULATED_FAIL_AT=cuLaunchKernel:3:719
refused "a step that fails" plan "CUDA_ERROR_ILLEGAL_ADDRESS" \
  SMEX_EMULATED_FAIL_AT=cuStreamSynchronize:9:700
# The first launch after those of a step is in the capture of the second one.
LD_LIBRARY_PATH=$with SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_RECORD=$work/launches \
  "$smex_run" "$work/plan" --backend cuda > "$work/stdout"
captured=$(($(wc -l < "$work/launches") + 1))
for result in 214 700 702 715 716 717 718 719; do
  steps=3 refused "error $result in a capture" plan "launching a kernel: CUDA_ERROR_" \
    SMEX_EMULATED_FAIL_AT=cuLaunchKernel:$captured:$result
  ! grep -q 'instruction by instruction' "$work/stderr" || fail "error $result in a capture: the run goes on"
done
mkdir -p "$work/lacking" "$work/cut"
for size in 5000 100000; do
  head -c $size "$libcuda" > "$work/cut/libcuda.so.1"
  refused "a driver of $size bytes" plan "no CUDA driver: $work/cut/libcuda.so.1 is cut off: it has $size bytes, and " \
    LD_LIBRARY_PATH="$work/cut"
done
"$without_symbol" "$libcuda" cuStreamWaitEvent "$work/lacking/libcuda.so.1"
refused "a driver without an entry point" plan \
  "the CUDA driver is too old: libcuda.so.1 has no cuStreamWaitEvent" LD_LIBRARY_PATH="$work/lacking"

# Of the two codes that a plan has, the one that the driver takes. (Without
# products, for which there is no cuBLASLt of CUDA 11.)
"$smexc" "$model" --gpus 2 --reproducible -o "$work/both" > /dev/null
for driver in 11080 12000; do
  LD_LIBRARY_PATH=$with SMEX_EMULATED_ARCH=90 SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_DRIVER=$driver \
    "$smex_run" "$work/both" --backend cuda --verify > "$work/stdout" 2> "$work/stderr" ||
    fail "driver $driver: $(cat "$work/stderr")"
  grep -q 'ran on cuda' "$work/stdout" || fail "driver $driver: $(cat "$work/stdout")"
done

# Which of them is loaded: the newest that is not newer than the GPU, and that the
# driver knows.
for choice in 80:13000:80 86:13000:80 89:13000:80 90:13000:90 90:11080:80 100:13000:90 120:13000:90; do
  IFS=: read -r arch driver code <<< "$choice"
  expected=1 refused "code for sm_$arch, a driver of $driver" both \
    "error: $work/both/kernels.sm_$code.ptx: loading its code: CUDA_ERROR_INVALID_PTX" \
    SMEX_EMULATED_ARCH=$arch SMEX_EMULATED_DRIVER=$driver SMEX_EMULATED_FAIL_AT=cuModuleLoadDataEx:2:218
done

# GPUs of two architectures: each has the newest code that it runs.
for archs in 90,80 80,90; do
  LD_LIBRARY_PATH=$with SMEX_EMULATED_ARCH=$archs SMEX_EMULATED_DEVICES=2 \
    "$smex_run" "$work/both" --backend cuda --verify > "$work/stdout" 2> "$work/stderr" ||
    fail "GPUs of $archs: $(cat "$work/stderr")"
  grep -qF "ran on cuda (1 x emulated sm_${archs%,*} device, 1 x emulated sm_${archs#*,} device) as 2" "$work/stdout" ||
    fail "GPUs of $archs: $(cat "$work/stdout")"
  refused "GPUs of $archs, and code for the newer one alone" hopper \
    "and GPU $([[ $archs == 90,80 ]] && echo 1 || echo 0) (emulated sm_80 device) is sm_80" SMEX_EMULATED_ARCH=$archs
done

# Such a machine still runs the plan on its processor, without being asked.
SMEX_EMULATED_DEVICES=0 LD_LIBRARY_PATH=$with "$smex_run" "$work/plan" > "$work/stdout" 2> "$work/stderr"
grep -q 'ran on cpu' "$work/stdout" || fail "auto does not fall back to the CPU"
[[ ! -s $work/stderr ]] || fail "without a GPU, auto says $(cat "$work/stderr")"
# One whose GPU is there, but of no use, says why.
SMEX_EMULATED_DRIVER=11040 LD_LIBRARY_PATH=$with "$smex_run" "$work/plan" > "$work/stdout" 2> "$work/stderr"
grep -q 'ran on cpu' "$work/stdout" || fail "an old driver: $(cat "$work/stdout")"
grep -q '^smex-run: note: runs on the processor: the CUDA driver is of version 11.4' "$work/stderr" ||
  fail "an old driver: auto says $(cat "$work/stderr")"
