#!/bin/bash
# The commands by which a citation graph is learnt, as users type them; what dropout does to a network, and what not.
# usage: citations.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY NODES FOLDER NAME SIZES...
set -euo pipefail
mkdir -p "${TEST_TMPDIR:=$(mktemp -d)}/bin"
for program in smex-zoo:$1 smexc:$2 smex-run:$3 compare-npy:$4 nodes:$5; do
  ln -sf "$(realpath "${program#*:}")" "$TEST_TMPDIR/bin/${program%%:*}"
done
folder=$(realpath "$6") name=$7
shift 7
PATH=$TEST_TMPDIR/bin:$PATH
cd "$TEST_TMPDIR"
cp "$folder/adjacency.npz" "$folder/features.npz" .
nodes only "$folder/labels.npy" "$folder/train.npy" -o labels.npy

smex-zoo $name --layers 2 --features 1433 "$@" --classes 7 --dropout 0.5 -o model.json
smexc model.json --graph adjacency.npz --gpus 2 --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4 -o plan/
smex-run plan/ --input features=features.npz --input labels=labels.npy --steps 200 --seed 1 --save-parameters p.safetensors
smexc model.json --graph adjacency.npz --gpus 1 -o eval/ && smex-run eval/ --parameters p.safetensors --input features=features.npz --output-dir out/
read -r accuracy loss < <(nodes score out/logits.npy "$folder/labels.npy" "$folder/test.npy")
echo "accuracy on the test nodes: $accuracy %"
awk "BEGIN { exit !($accuracy > 85) }"

# Evaluated, it is the network without dropout.
smex-zoo $name --layers 2 --features 1433 "$@" --classes 7 -o without.json
smexc without.json --graph adjacency.npz --gpus 1 -o without/
smex-run without/ --parameters p.safetensors --input features=features.npz --output-dir without_out/
compare-npy out/logits.npy without_out/logits.npy

# The losses of steps that change nothing: masks differ by step and seed, and not by the number of GPUs.
losses() { # GPUS SEED
  smexc model.json --graph adjacency.npz --gpus $1 --train --loss cross_entropy --ignore-index -1 --optimizer sgd --lr 0 -o still/
  smexc check still/
  smex-run still/ --input features=features.npz --input labels=labels.npy --parameters p.safetensors --steps 3 --seed $2 \
    --verify --metrics "losses.$1.$2.json"
}
losses 1 1
losses 3 1
losses 8 1
losses 1 2
python3 - <<'P'
import json

def losses(gpus, seed):
    with open(f"losses.{gpus}.{seed}.json", encoding="utf-8") as file:
        return [step["loss"] for step in json.load(file)["steps"]]

one = losses(1, 1)
print("losses", one, losses(1, 2))
assert len(one) == 3 and all(abs(a - b) > 1e-3 * a for a, b in zip(one, one[1:])), "the same mask in two steps"
assert all(abs(a - b) > 1e-3 * a for a, b in zip(one, losses(1, 2))), "the same masks for two seeds"
for gpus in (3, 8):
    assert all(abs(a - b) < 1e-4 * a for a, b in zip(one, losses(gpus, 1))), f"other masks on {gpus} GPUs"
P
