#!/bin/bash
# The same model and options give the same plan, byte for byte, wherever and
# whenever it is compiled, whether its kernels were kept or not; `diff` and
# `check` agree.
# usage: determinism.sh SMEXC MODEL
set -euo pipefail
smexc=$PWD/$1 model=$PWD/$2
work=${TEST_TMPDIR:-$(mktemp -d)}
mkdir -p "$work/elsewhere"

"$smexc" "$model" --gpus 6 -o "$work/a"
(cd "$work/elsewhere" && TZ=Asia/Tokyo LC_ALL=C "$smexc" "$model" --gpus 6 --kernel-cache none -o b)
diff -r "$work/a" "$work/elsewhere/b"
"$smexc" diff "$work/a" "$work/elsewhere/b"

# Another number of GPUs is another plan: 3.
"$smexc" "$model" --gpus 4 -o "$work/c"
status=0
"$smexc" diff "$work/a" "$work/c" || status=$?
[[ $status == 3 ]]
