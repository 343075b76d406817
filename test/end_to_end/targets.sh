#!/bin/bash
# Code for several processors side by side: each as if it were alone, all proven,
# and one of them run. usage: targets.sh SMEXC SMEX_RUN MODEL
set -euo pipefail
smexc=$1 smex_run=$2 model=$3
work=${TEST_TMPDIR:-$(mktemp -d)}

"$smexc" "$model" --gpus 2 -o "$work/usual"
"$smexc" "$model" --gpus 2 --cpu-arch x86-64-v3,x86-64-v4 -o "$work/several"
cmp "$work/usual/kernels.x86-64-v3.so" "$work/several/kernels.x86-64-v3.so"
if cmp -s "$work/several/kernels.x86-64-v3.so" "$work/several/kernels.x86-64-v4.so"; then
  exit 1
fi

# GPUs have code unless told otherwise: a text for all since Ampere, and one for
# Hopper. Each is the same without the other.
"$smexc" "$model" --gpus 2 --cuda-arch sm_80,sm_90 -o "$work/gpus"
cmp "$work/usual/plan.json" "$work/gpus/plan.json"
"$smexc" check "$work/usual"
[[ $(ls "$work/usual/" | grep -c 'kernels\.sm') == 4 ]]
for arch in sm_80 sm_90; do
  grep -q "^\.target $arch\$" "$work/usual/kernels.$arch.ptx"
  "$smexc" "$model" --gpus 2 --cuda-arch $arch -o "$work/alone"
  [[ $(ls "$work/alone/" | grep -c 'kernels\.sm') == 2 ]]
  cmp "$work/usual/kernels.$arch.ptx" "$work/alone/kernels.$arch.ptx"
  cmp "$work/usual/kernels.$arch.json" "$work/alone/kernels.$arch.json"
done
"$smexc" "$model" --gpus 2 --cuda-arch none -o "$work/none"
if ls "$work/none/" | grep 'kernels\.sm'; then
  exit 1
fi
"$smexc" check "$work/none"

# The two are the same so far, but for the header.
cmp <(grep -v '^\.version\|^\.target' "$work/usual/kernels.sm_80.ptx") \
  <(grep -v '^\.version\|^\.target' "$work/usual/kernels.sm_90.ptx")

"$smexc" check "$work/several"
"$smex_run" "$work/several" --verify

# A file that is another target's code is found.
cp -f "$work/several/kernels.x86-64-v3.so" "$work/several/kernels.x86-64-v4.so"
status=0
message=$("$smexc" check "$work/several" 2>&1) || status=$?
[[ $status == 1 && $message == *kernels.x86-64-v4.so* ]]
