#!/usr/bin/env python3
"""How much less the plans of `best` move than those of `tofu`, for every number of GPUs from 2 to 16, and how far the
lower bound is.

usage: examples/bench/best_against_tofu.py [--large] [--models NAME,...] [--bin FOLDER]

Needs a build: bazel build //examples/bench:search //tools:smex-zoo. Exit status 3 if a plan of `best` moves more.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

MODELS = {
    "mlp": "mlp --batch 256",
    "resnet50": "resnet --depth 50 --batch 32",
    "transformer": "transformer --layers 2 --hidden 256 --heads 4 --sequence 64 --vocabulary 1000 --batch 16",
    "RNN-2-1K": "rnn --layers 2 --hidden 1024 --steps 10 --batch 128",
    "unet": "unet --batch 8",
    "wresnet": "wresnet --depth 50 --width 4 --batch 32",
    "inception": "inception --batch 32",
    "wrn": "wrn --units 4 --batch 64",
    "word-rnn": "word-rnn --steps 10 --batch 128",
    "char-crn": "char-crn --layers 2 --steps 10 --batch 32",
    "trn": "trn --layers 4 --batch 16",
    "e3d": "e3d --layers 2 --steps 4 --batch 4",
}
LARGE = {
    "WResNet-152-10": "wresnet --depth 152 --width 10 --batch 8",
    "RNN-10-8K": "rnn --layers 10 --hidden 8192 --batch 128",
}


def main(args):
    models = dict(MODELS, **(LARGE if args.large else {}))
    worse = 0
    print(f"{'':16}{'GPUs':>5}{'tofu MiB':>12}{'best MiB':>12}{'saved':>8}{'bound MiB':>12}{'above':>8}")
    for name, arguments in models.items():
        if args.models and name not in args.models.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            subprocess.run([os.path.join(args.bin, "tools/smex-zoo"), *arguments.split(), "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            for gpus in range(2, 17):
                out = subprocess.run([os.path.join(args.bin, "examples/bench/search"), "--gpus", str(gpus), "--algorithm",
                                      "tofu", "--algorithm", "best", path], check=True, stdout=subprocess.PIPE,
                                     text=True).stdout
                tofu, best = (json.loads(line) for line in out.splitlines())
                theirs, ours, bound = tofu["communication_bytes"], best["communication_bytes"], best["lower_bound_bytes"]
                worse += ours > theirs
                print(f"{name:16}{gpus:5}{theirs / 2**20:12.2f}{ours / 2**20:12.2f}"
                      f"{1 - ours / theirs if theirs else 0:8.1%}{bound / 2**20:12.2f}"
                      f"{ours / bound - 1 if bound else 0:8.0%}", flush=True)
    return 3 if worse else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also WResNet-152-10 and RNN-10-8K: minutes")
    parser.add_argument("--models", help="only these, separated by commas")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin"),
                        help="folder of what was built")
    sys.exit(main(parser.parse_args()))
