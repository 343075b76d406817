#!/usr/bin/env python3
"""Every model as f16 and bf16, on several numbers of GPUs: compiled, checked, verified, and how far it is from PyTorch's
results in f32, as test/end_to_end's half.sh and half_training.sh measure it.

usage: examples/bench/half.py [--models FOLDER]... [--training FOLDER]... [--gpus N,...] [--only NAME,...] [--bin FOLDER]

A folder of --models holds models in folders of their own (test/models describes them), one of --training likewise with
train.json or a line in OPTIONS below. Needs a build: bazel build //tools/... //test/end_to_end:to_half
//test/end_to_end:training_matches. Exit status 3 if one is not sound, not verified, or too far away.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "../../test/end_to_end")
TYPES = ["f16", "bf16"]
OPTIONS = {
    "pyg_gcn_sgd": "--optimizer sgd --lr 0.1",
    "topk_adam": "--optimizer adam --lr 0.01",
}
# Steps that are verified, and steps whose losses are compared, of 6. This network magnifies rounding: in f32, with
# nothing but its initial weights rounded to f16, the loss is 3 % from PyTorch's in step 2, and 34 % in step 6.
STEPS = {"resnet_momentum": (2, 1)}


def options_of(folder):
    path = os.path.join(folder, "train.json")
    if not os.path.exists(path):
        return OPTIONS[os.path.basename(folder)].split()
    with open(path) as file:
        how = json.load(file)
    options = ["--loss", how["loss"], "--optimizer", how["optimizer"], "--lr", str(how["lr"])]
    for name, value in how["options"].items():
        options += ["--" + name.replace("_", "-"), str(value)]
    return options


def program(args, name):
    for folder in ["", "tools", "test/end_to_end"]:
        path = os.path.join(args.bin, folder, name)
        if os.path.exists(path):
            return path
    sys.exit(f"{name} is not in {args.bin}: build it")


def measure(args, folder, training, kind, gpus):
    """What a script says: the difference, or the line in which it failed."""
    names = ["smexc", "smex-run"] + (["to_half", "training_matches"] if training else ["compare-npy", "to_half"])
    script = os.path.join(SCRIPTS, "half_training.sh" if training else "half.sh")
    command = ["bash", script, *(program(args, name) for name in names), folder, kind, str(gpus)]
    if training:
        command += [*map(str, STEPS.get(os.path.basename(folder), (6, 6))), *options_of(folder)]
    with tempfile.TemporaryDirectory() as work:
        run = subprocess.run(command, env=dict(os.environ, TEST_TMPDIR=work), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    apart = re.findall(r"(?:losses within|agree: within) ([\d.e+-]+)", run.stdout)
    equal = re.search(r"agree: ", run.stdout)
    if run.returncode == 0 and (apart or equal):
        return max(map(float, apart), default=0.0), None
    lines = [line for line in run.stdout.splitlines() if re.search("FAILED|error|differ|not ", line)]
    return None, (lines or run.stdout.splitlines() or ["nothing said"])[0]


def main(args):
    cases = [(folder, False) for folder in args.models or []] + [(folder, True) for folder in args.training or []]
    counts = [int(n) for n in args.gpus.split(",")]
    failures = []
    print(f"{'':24}{'':6}" + "".join(f"{f'N = {n}':>10}" for n in counts))
    for parent, training in cases:
        for name in sorted(os.listdir(parent)):
            folder = os.path.join(parent, name)
            known = os.path.exists(os.path.join(folder, "train.json")) or name in OPTIONS
            if not os.path.exists(os.path.join(folder, "model.onnx")) or training and not known:
                continue
            if args.only and name not in args.only.split(","):
                continue
            for kind in TYPES:
                cells = []
                for gpus in counts:
                    apart, wrong = measure(args, folder, training, kind, gpus)
                    cells.append("failed" if wrong else f"{apart:.2g}")
                    if wrong:
                        failures.append(f"{name}, {kind}, N = {gpus}: {wrong}")
                print(f"{name:24}{kind:6}" + "".join(f"{cell:>10}" for cell in cells), flush=True)
    print("\n".join(failures))
    print(f"{len(failures)} failed", flush=True)
    return 3 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", action="append", help="a folder of models to run")
    parser.add_argument("--training", action="append", help="a folder of models to train")
    parser.add_argument("--gpus", default="1,3,8")
    parser.add_argument("--only", help="names, the others are left out")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs are")
    sys.exit(main(parser.parse_args()))
