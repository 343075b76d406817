#!/bin/bash
# No score of an attention is stored, in 16-bit models: plans have no tensor of its
# shape, need less memory by that, and train as the same model does whose operators
# are computed one by one, by their definitions; on emulated GPUs, on the CPU and by
# the interpreter.
# usage: emulated_attention.sh SMEXC SMEX_RUN SMEX_ZOO LIBCUDA
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 smex_zoo=$3 libcuda=$4
work=${TEST_TMPDIR:-$(mktemp -d)}
export LD_LIBRARY_PATH=$(emulated "$libcuda")
export SMEX_EMULATED_DEVICES=8 SMEX_EMULATED_SEED=5

training=(--train --optimizer adam --lr 0.01)
losses() { # METRICS
  python3 -c 'import json, sys; print(*(step["loss"] for step in json.load(open(sys.argv[1]))["steps"]))' "$1"
}
peak() { # PLAN
  python3 -c 'import json, sys; print(max(json.load(open(sys.argv[1]))["totals"]["peak_bytes"]))' "$1/plan.json"
}
for type in bf16 f16; do
  "$smex_zoo" transformer --layers 1 --hidden 32 --heads 2 --sequence 96 --vocabulary 20 --batch 2 --type $type \
    -o "$work/model.json"
  "$smexc" "$work/model.json" "${training[@]}" --gpus 1 --no-fuse --cuda-arch none -o "$work/plain" > /dev/null
  "$smex_run" "$work/plain" --backend reference --steps 4 --metrics "$work/plain.json" > /dev/null
  "$smexc" "$work/model.json" "${training[@]}" --gpus 1 --cuda-arch none --emit semantic > "$work/semantic"
  ! grep -q 'tensor<2x2x96x96x' "$work/semantic" || fail "$type: scores are stored"
  for gpus in 1 3 8; do
    "$smexc" "$work/model.json" "${training[@]}" --gpus $gpus -o "$work/plan" > /dev/null
    "$smexc" check "$work/plan"
    for backend in cuda cpu; do
      "$smex_run" "$work/plan" --backend $backend --steps 4 --verify --metrics "$work/$backend.json" > /dev/null
      echo "$type, $gpus GPUs, $backend: $(losses "$work/$backend.json"); plain: $(losses "$work/plain.json")"
      python3 - "$work/$backend.json" "$work/plain.json" << 'END' || fail "$type, $gpus GPUs, $backend: other losses"
import json, sys
got, want = ([step["loss"] for step in json.load(open(name))["steps"]] for name in sys.argv[1:])
assert len(got) == len(want) == 4 and want[-1] < want[0]
sys.exit(any(abs(a - b) > 0.02 * abs(b) for a, b in zip(got, want)))
END
    done
  done
  "$smex_run" "$work/plan" --backend reference --steps 1 --verify > /dev/null
done

# In f32, and where bits are the same for any number of GPUs, they are stored.
"$smexc" "$work/model.json" "${training[@]}" --gpus 1 --reproducible --emit semantic > "$work/semantic"
grep -q 'tensor<2x2x96x96x' "$work/semantic" || fail "--reproducible does not store scores"

# A longer sequence takes as much more memory as it is longer, and not its square.
for sequence in 512 2048; do
  "$smex_zoo" transformer --layers 1 --hidden 32 --heads 2 --sequence $sequence --vocabulary 20 --batch 1 --type bf16 \
    -o "$work/model.json"
  "$smexc" "$work/model.json" "${training[@]}" --gpus 1 --cuda-arch none -o "$work/plan" > /dev/null
  eval "peak_$sequence=$(peak "$work/plan")"
done
echo "peaks: $peak_512 of 512 words, $peak_2048 of 2048"
((peak_2048 < 5 * peak_512)) || fail "a sequence four times as long takes $peak_2048 bytes in place of $peak_512"
