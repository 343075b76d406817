#!/bin/bash
# A GPT of bf16 with odd numbers of words and of places, trained with products
# padded and without: the same losses and parameters up to rounding, on
# processors and on emulated GPUs; sound, as predicted, and as unpartitioned.
# usage: padded.sh SMEX_ZOO SMEXC SMEX_RUN LIBCUDA NEAR N
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
zoo=$1 smexc=$2 smex_run=$3 libcuda=$4 near=$5 gpus=$6
work=${TEST_TMPDIR:-$(mktemp -d)}
emulated=$(emulated "$libcuda")

"$zoo" transformer --layers 1 --hidden 32 --heads 4 --sequence 61 --vocabulary 233 --batch 2 --type bf16 \
  -o "$work/model.json"
for products in all none; do
  options=(--train --optimizer momentum --lr 0.05 --pad-products $products)
  "$smexc" "$work/model.json" "${options[@]}" --gpus "$gpus" -o "$work/$products"
  "$smexc" check "$work/$products"
  "$smex_run" "$work/$products" --backend cpu --steps 3 --verify \
    --metrics "$work/$products.json" --save-parameters "$work/$products.safetensors"
  LD_LIBRARY_PATH=$emulated SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_SEED=5 \
    "$smex_run" "$work/$products" --backend cuda --steps 3 --verify \
    --metrics "$work/$products.cuda.json" --save-parameters "$work/$products.cuda.safetensors"
done
for run in none.cuda all all.cuda; do
  /usr/bin/python3 "$near" "$work/none" "$work/$run"
done

# That is a difference: scores have rows of 240 words, and none of 233 are stored.
emit() { "$smexc" "$work/model.json" --train --pad-products "$1" --gpus 1 --emit semantic; }
emit all > "$work/all.mlir"
emit none > "$work/none.mlir"
grep -q -- '-> tensor<2x61x240xbf16>' "$work/all.mlir" || fail "scores are not padded"
! grep -q -- '-> tensor<2x61x233xbf16>' "$work/all.mlir" || fail "scores are copied"
grep -q -- '-> tensor<2x61x233xbf16>' "$work/none.mlir" || fail "--pad-products none pads"
# These are no large products; a reproducible plan has none of a library.
"$smexc" "$work/model.json" --train --gpus 1 --emit semantic | cmp - "$work/none.mlir" || fail "small products are padded"
"$smexc" "$work/model.json" --train --pad-products all --reproducible --gpus 1 --emit semantic > "$work/reproducible.mlir"
! grep -q '240xbf16' "$work/reproducible.mlir" || fail "--reproducible pads"
