#!/usr/bin/env python3
"""Library kernels of f16 and bf16 against those of f32, on one worker: products of matrices and convolutions, GFLOP/s, the
best of the runs.

usage: examples/bench/half_kernels.py [--steps N] [--bin FOLDER]

Needs a build: bazel build //tools/...
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

TYPES = ["f32", "f16", "bf16"]
# Name, operator, shapes of operand and weight, attributes, multiplications.
CASES = [
    ("MatMul 512 x 512 x 512", "MatMul", [512, 512], [512, 512], {}, 512**3),
    ("MatMul 1024 x 1024 x 1024", "MatMul", [1024, 1024], [1024, 1024], {}, 1024**3),
    ("MatMul 8 x 2048 x 2048", "MatMul", [8, 2048], [2048, 2048], {}, 8 * 2048**2),
    ("Conv 3x3, 64 to 64, 56 x 56", "Conv", [4, 64, 56, 56], [64, 64, 3, 3], {"pads": [1, 1, 1, 1]}, 4 * 64 * 64 * 9 * 56**2),
    ("Conv 1x1, 256 to 64, 56 x 56", "Conv", [4, 256, 56, 56], [64, 256, 1, 1], {}, 4 * 256 * 64 * 56**2),
    ("Conv 7x7, 3 to 64, 224 x 224", "Conv", [1, 3, 224, 224], [64, 3, 7, 7], {"pads": [3, 3, 3, 3], "strides": [2, 2]},
     3 * 64 * 49 * 112**2),
]


def model(op, x, w, attributes, kind):
    return {"format": "smex-model", "version": 1, "opset": 23,
            "inputs": [{"name": "x", "type": kind, "shape": x}],
            "parameters": [{"name": "w", "type": kind, "shape": w, "drawn": 0.0625}],
            "nodes": [{"op": op, "inputs": ["x", "w"], "outputs": ["y"], "attributes": attributes}],
            "outputs": ["y"]}


def seconds(args, description):
    """The shortest of the steps, the first left out."""
    with tempfile.TemporaryDirectory() as folder:
        path, plan, metrics = (os.path.join(folder, name) for name in ("model.json", "plan", "metrics.json"))
        with open(path, "w") as file:
            json.dump(description, file)
        tool = lambda name: next(p for p in (os.path.join(args.bin, "tools", name), os.path.join(args.bin, name))
                                 if os.path.exists(p))
        for command in ([tool("smexc"), path, "--gpus", "1", "-o", plan],
                        [tool("smex-run"), plan, "--steps", str(args.steps), "--metrics", metrics]):
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if run.returncode:
                sys.exit(run.stdout)
        with open(metrics) as file:
            return min(step["seconds"] for step in json.load(file)["steps"][1:])


def main(args):
    print(f"{'':32}" + "".join(f"{kind:>10}" for kind in TYPES) + f"{'f16/f32':>10}{'bf16/f32':>10}")
    for name, op, x, w, attributes, products in CASES:
        times = [seconds(args, model(op, x, w, attributes, kind)) for kind in TYPES]
        print(f"{name:32}" + "".join(f"{2 * products / t / 1e9:10.1f}" for t in times) +
              "".join(f"{times[0] / t:10.2f}" for t in times[1:]), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--bin", default="bazel-bin", help="where the programs are")
    main(parser.parse_args())
