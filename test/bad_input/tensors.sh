#!/bin/bash
# Inputs in ONNX's own format: a good one is read as its .npy is, anything else is
# refused by name.
# usage: tensors.sh SMEXC SMEX_RUN MODEL_DIR MAKE_TENSORS
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 model=$PWD/$3/model.onnx x=$PWD/$3/inputs/x.npy make=$PWD/$4
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"
python3 "$make" "$x" || exit 1

"$run" plan --input x="$x" --output-dir expected > /dev/null || complain "x.npy"
for good in raw packed unpacked; do
  "$run" plan --input x=$good.pb --output-dir $good > /dev/null &&
    diff -r expected $good || complain "$good.pb"
done

gives 1 'type\.pb is f64\[12, 96\], f32\[12, 96\] expected' "$run" plan --input x=type.pb
gives 1 'shape\.pb is f32\[96, 12\], f32\[12, 96\] expected' "$run" plan --input x=shape.pb
gives 1 'rank\.pb is f32\[1152\]' "$run" plan --input x=rank.pb
gives 1 'short\.pb: f32\[12, 96\] takes 4608 bytes; the file has 4604' "$run" plan --input x=short.pb
gives 1 'huge\.pb: ' "$run" plan --input x=huge.pb
gives 1 'string\.pb: .*STRING' "$run" plan --input x=string.pb
gives 1 'external\.pb: .*another file' "$run" plan --input x=external.pb
gives 1 'segment\.pb: ' "$run" plan --input x=segment.pb
cp raw.pb raw.npy
gives 1 'raw\.npy: not a \.npy file' "$run" plan --input x=raw.npy
gives 1 'nowhere\.pb: ' "$run" plan --input x=nowhere.pb
gives 1 'short\.pb' "$smexc" "$model" --gpus 2 --constant x=short.pb -o none
[ -e none ] && complain "left a plan"

for good in raw packed; do
  size=$(stat -c %s $good.pb)
  for length in 0 1 2 3 4 5 6 7 8 9 $((size / 2)) $((size - 4)) $((size - 1)); do
    head -c "$length" $good.pb > cut.pb
    gives 1 'cut\.pb: ' "$run" plan --input x=cut.pb
  done
done
for noise in noise*.pb; do
  gives 1 "$noise: " "$run" plan --input x="$noise"
done
exit $failed
