#!/bin/bash
# Data parallelism sums gradients as an all-reduce does: of W bytes of weights, 2 (R - 1) W cross between R workers. Each has
# all weights and the optimizer's history; losses are one GPU's.
# usage: data_parallel.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}

# compiled MODEL ALGORITHM GPUS
compiled() {
  "$smexc" "$work/$1.json" --train --optimizer adagrad --lr 0.05 --gpus "$3" --algorithm "$2" --cuda-arch none -o "$work/$1.$2.$3"
}
run_of() {
  "$smex_run" "$1" --steps 3 --seed 5 --verify > "$1.run"
  grep '^loss' "$1.run" || fail "no losses of $1"
}
moved() { /usr/bin/python3 -c "import json; print(json.load(open('$1/plan.json'))['totals']['communication_bytes'])"; }

"$zoo" mlp --layers 2 --batch 64 --hidden 24 --input 24 -o "$work/even.json"
weights=$((2 * (24 * 24 + 24) + 24 * 1000 + 1000)) # layers with their biases, and 1,000 classes
compiled even data-parallel 1
run_of "$work/even.data-parallel.1" > "$work/expected"
for gpus in 2 4 8; do
  plan=$work/even.data-parallel.$gpus
  compiled even data-parallel "$gpus"
  "$smexc" check "$plan"
  # Besides, two scalars that the loss is made of, each from everybody to everybody.
  expected=$((2 * (gpus - 1) * weights * 4 + 2 * gpus * (gpus - 1) * 4))
  [ "$(moved "$plan")" -eq "$expected" ] || fail "$gpus GPUs: $(moved "$plan") bytes move, not $expected"
  run_of "$plan" | cmp - "$work/expected" || fail "$gpus GPUs: other losses"
  "$smexc" inspect "$plan" --tensors 1000 > "$work/listing"
  for tensor in layer0/weight layer0/weight.sum classifier/weight classifier/weight.sum classifier/bias.sum; do
    grep -q "^  $tensor  .*, whole on $gpus" "$work/listing" || fail "$gpus GPUs: not everybody has $tensor"
  done
done

# Where the workers do not divide a gradient, as many bytes move as with ZeRO.
"$zoo" mlp --layers 1 --batch 64 --hidden 13 --input 7 -o "$work/uneven.json"
for algorithm in data-parallel zero; do
  compiled uneven "$algorithm" 8
done
[ "$(moved "$work/uneven.data-parallel.8")" -eq "$(moved "$work/uneven.zero.8")" ] || fail "uneven: ZeRO moves another number"
compiled uneven data-parallel 1
run_of "$work/uneven.data-parallel.1" > "$work/expected"
run_of "$work/uneven.data-parallel.8" | cmp - "$work/expected" || fail "uneven: other losses"

# Where labels are of all timesteps, one after the other, it is samples that are cut all the same, forward, too.
"$zoo" rnn --layers 1 --hidden 16 --steps 5 --batch 8 -o "$work/rnn.json"
for gpus in 1 4; do
  "$smexc" "$work/rnn.json" --train --loss mse --lr 0.05 --gpus "$gpus" --algorithm data-parallel --cuda-arch none -o "$work/rnn.$gpus"
  run_of "$work/rnn.$gpus" > "$work/rnn.$gpus.losses"
done
cmp "$work/rnn.1.losses" "$work/rnn.4.losses" || fail "rnn: other losses"
# A weight's gradient is a sum over timesteps of sums over samples. Workers add up their own terms of all timesteps, and bring
# one sum together: of W bytes 3 W each way, as if there were no timesteps. The three parameters have 66,624 weights.
"$smexc" "$work/rnn.json" --train --loss mse --lr 0.05 --gpus 4 --algorithm zero --cuda-arch none -o "$work/rnn.zero"
for plan in rnn.4 rnn.zero; do
  "$smexc" inspect "$work/$plan" > "$work/listing"
  for name in reduce-scatter all-gather; do
    grep -Eq "^  $name +4 +3 +780.75 KiB$" "$work/listing" || fail "$plan: gradients move as $(grep -- "$name" "$work/listing")"
  done
done
run_of "$work/rnn.zero" | cmp - "$work/rnn.1.losses" || fail "rnn with ZeRO: other losses"
"$smex_run" "$work/rnn.4" --steps 3 --seed 7 --backend reference | grep '^loss' > "$work/reference"
"$smex_run" "$work/rnn.1" --steps 3 --seed 7 | grep '^loss' | cmp - "$work/reference" || fail "rnn: other losses by definition"
"$smexc" check "$work/rnn.4"
"$smexc" inspect "$work/rnn.4" --tensors 1000 > "$work/listing"
for step in 0 4; do
  grep -q "^  layer0/step$step/cell  .*f32.8, 16., 4 x 1$" "$work/listing" || fail "rnn: step $step is not cut: $(grep cell "$work/listing")"
done
echo passed
