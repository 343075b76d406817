#!/usr/bin/env python3
"""Weights of GCN, GAT and GraphSAGE begin as their papers have them (Glorot): uniform within the square root of 6 / (inputs +
outputs), biases at 0; a head's attention is a layer from its features to one number.

usage: glorot.py SMEX_ZOO
"""

import json
import math
import os
import subprocess
import sys

PATH = os.path.join(os.environ.get("TEST_TMPDIR", "."), "model.json")
failed = 0


def parameters(words):
    subprocess.run([sys.argv[1], *words.split(), "-o", PATH], check=True, stdout=subprocess.DEVNULL)
    with open(PATH, encoding="utf-8") as file:
        return {each["name"]: each for each in json.load(file)["parameters"]}


# Of each weight, what goes in and comes out.
SIZES = "--layers 2 --features 30 --hidden 7 --classes 5"
for network, weights in {
        f"gcn {SIZES}": {"layer0/weight": (30, 7), "layer1/weight": (7, 5)},
        f"gat {SIZES} --heads 4": {"layer0/weight": (30, 28), "layer1/weight": (28, 5),
                                   **{f"layer{layer}/attention/{end}": (inputs, 1) for layer, inputs in ((0, 7), (1, 5))
                                      for end in ("source", "destination")}},
        f"sage {SIZES}": {f"layer{layer}/{part}/weight": ends for layer, ends in ((0, (30, 7)), (1, (7, 5)))
                          for part in ("own", "neighbours")}}.items():
    found = parameters(network)
    biases = {name for name in found if name.endswith("/bias")}
    if set(found) != set(weights) | biases or not biases:
        print(f"FAILED {network}: {sorted(found)}")
        failed += 1
        continue
    for name, (inputs, outputs) in weights.items():
        want, got = math.sqrt(6 / (inputs + outputs)), found[name].get("drawn")
        if got is None or not math.isclose(got, want, rel_tol=1e-12):
            print(f"FAILED {network}: {name} within {got}, not {want}")
            failed += 1
    for name in biases:
        if found[name].get("values") != 0:
            print(f"FAILED {network}: {name} does not begin at 0")
            failed += 1
print(f"{failed} failed")
sys.exit(1 if failed else 0)
