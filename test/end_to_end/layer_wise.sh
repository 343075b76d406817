#!/bin/bash
# Operator placement, a layer on each GPU in turn: trained, it is one GPU's run to the bit, and weights stay where they are.
# usage: layer_wise.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}

"$zoo" rnn --layers 4 --hidden 16 --steps 4 --batch 8 -o "$work/rnn.json"
for gpus in 1 2 3 8; do
  "$smexc" "$work/rnn.json" --train --loss mse --optimizer adagrad --lr 0.05 --gpus "$gpus" --cuda-arch none \
    --algorithm layer-wise -o "$work/plan$gpus"
  "$smexc" check "$work/plan$gpus"
  "$smex_run" "$work/plan$gpus" --steps 3 --seed 5 --verify --metrics "$work/metrics.json" > "$work/run$gpus"
  grep '^loss' "$work/run$gpus" > "$work/loss$gpus"
  cmp "$work/loss1" "$work/loss$gpus" || fail "other losses on $gpus GPUs"
done
grep -q 'bit-equal' "$work/run3" || fail "not to the bit"

# Layer 1 of 4 is on gpu1 of 3, whole, with its gradient and what the optimizer keeps; activations are all that moves.
"$smexc" inspect "$work/plan3" --tensors 1000 > "$work/listing"
for tensor in 'layer1/hidden_weight' 'gradient of layer1/hidden_weight' 'layer1/hidden_weight.sum'; do
  grep -q "^  $tensor  .*, on gpu1" "$work/listing" || fail "$tensor is not on gpu1"
done
grep -q '^  layer3/hidden_weight  .*, on gpu0' "$work/listing" || fail "layer 3 is not on gpu0"
# Three borders between layers of 4 steps of 8 x 16 floats, forward and backward; and the loss, a scalar, to two GPUs.
communication=$(/usr/bin/python3 -c "import json; print(json.load(open('$work/metrics.json'))['communication_bytes'])")
[ "$communication" -lt $((2 * 3 * 4 * 8 * 16 * 4 + 1024)) ] || fail "$communication bytes move"
echo passed
