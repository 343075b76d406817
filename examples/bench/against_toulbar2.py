#!/usr/bin/env python3
"""The search's steps, solved by toulbar2: a proven exact solver of cost function networks. The same optimum is what
tests ask for (test/compiler/partition/toulbar2.sh); here, how long each takes.

usage: examples/bench/against_toulbar2.py [--gpus 8] [--timer 60] [--bin FOLDER]

Training graphs of the zoo. Seconds of the processor: ours for all steps and the bound of the whole plan, toulbar2's for
the problems of the steps as `smexc --emit problem` prints them, read included.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

MODELS = {
    "mlp": "mlp --batch 256",
    "RNN-2-1K": "rnn --layers 2 --hidden 1024 --steps 10 --batch 128",
    "transformer": "transformer --layers 2 --hidden 256 --heads 4 --sequence 64 --vocabulary 1000 --batch 16",
    "unet": "unet --batch 8",
    "resnet18": "resnet --depth 18 --batch 32",
    "resnet50": "resnet --depth 50 --batch 32",
    "inception": "inception --batch 32",
    "WResNet-152-10": "wresnet --depth 152 --width 10 --batch 8",
    "RNN-10-8K": "rnn --layers 10 --hidden 8192 --batch 128",
}


def run(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(args):
    print(f"{'':14}{'operators':>10}{'steps':>7}{'ours s':>10}{'toulbar2 s':>12}  agree")
    different = 0
    for name, sizes in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            model, step = os.path.join(folder, "model.json"), os.path.join(folder, "step.cfn")
            run(os.path.join(args.bin, "tools/smex-zoo"), *sizes.split(), "-o", model)
            ours = json.loads(run(os.path.join(args.bin, "examples/bench/search"), "--gpus", str(args.gpus), model)[0])
            problems, _ = run(os.path.join(args.bin, "tools/smexc"), model, "--train", "--optimizer", "momentum",
                              "--gpus", str(args.gpus), "--emit", "problem")
            seconds, verdicts = 0, []
            for problem, mine in zip(problems.splitlines(), ours["steps"]):
                with open(step, "w", encoding="utf-8") as file:
                    file.write(problem + "\n")
                text, took = run("toulbar2", step, f"-timer={args.timer}")
                seconds += took
                found = re.search(r"^Optimum: (\d+)", text, re.M)
                verdicts.append("no proof" if not found else
                                "yes" if int(found.group(1)) == mine["lower_bound_bytes"] else "NO")
            different += "NO" in verdicts
            print(f"{name:14}{ours['operators']:10}{len(verdicts):7}{ours['seconds']:10.2f}{seconds:12.2f}  "
                  f"{', '.join(verdicts)}", flush=True)
    return 3 if different else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--timer", type=int, default=60, help="seconds for each step; default %(default)s")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin"),
                        help="folder of what was built")
    sys.exit(main(parser.parse_args()))
