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

# GPUs have code unless told otherwise: one text, for all of them.
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 -o "$work/gpus"
cmp "$work/usual/plan.json" "$work/gpus/plan.json"
[[ $(ls "$work/usual/" | grep -c 'kernels\.sm') == 2 ]]
grep -q '^\.target sm_80$' "$work/usual/kernels.sm_80.ptx"
"$smexc" "$model" --gpus 2 --cuda-arch none -o "$work/none"
if ls "$work/none/" | grep 'kernels\.sm'; then
  exit 1
fi
"$smexc" check "$work/none"

# For later ones the text is the same so far, but for its header.
"$smexc" "$model" --gpus 2 --cuda-arch sm_80 --cuda-arch sm_90 -o "$work/both"
cmp <(grep -v '^\.version\|^\.target' "$work/both/kernels.sm_80.ptx") \
  <(grep -v '^\.version\|^\.target' "$work/both/kernels.sm_90.ptx")

"$smexc" check "$work/several"
"$smex_run" "$work/several" --verify

# A file that is another target's code is found.
cp -f "$work/several/kernels.x86-64-v3.so" "$work/several/kernels.x86-64-v4.so"
status=0
message=$("$smexc" check "$work/several" 2>&1) || status=$?
[[ $status == 1 && $message == *kernels.x86-64-v4.so* ]]
