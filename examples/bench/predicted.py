#!/usr/bin/env python3
"""The table of gpu-check as `smexc simulate` predicts it for one H100 and for eight: nothing is run.

usage: examples/bench/predicted.py [--bin FOLDER] [--machine dgx-h100]

Needs a build: bazel build //tools:smexc //tools:smex-zoo. The rates behind it are those that others have measured
(compiler/machine/presets/README.md). A peer's time is not predicted; a fetch's peer is the link's rate.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../tools/gpu_check"))
import plans

NOISE = 0.02


def simulated(args, plan, gpus, folder, *options):
    """What smexc simulate says of the plan for so many GPUs."""
    model, to, result = (os.path.join(folder, name) for name in ("model.json", "plan", "result.json"))
    if plan.model:
        subprocess.run([os.path.join(args.bin, "tools/smex-zoo"), *plan.model, "-o", model], check=True,
                       stdout=subprocess.DEVNULL)
    else:
        with open(model, "w") as file:
            json.dump(plan.text, file)
    smexc = os.path.join(args.bin, "tools/smexc")
    subprocess.run([smexc, model, *plan.options, *options, "--gpus", str(gpus), "-o", to], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([smexc, "simulate", to, "--machine", args.machine, "--json", result], check=True,
                   stdout=subprocess.DEVNULL)
    with open(result) as file:
        return json.load(file)


def link_rate(machine):
    """Of a GPU's link, in bytes per second."""
    if not machine.endswith(".json"):
        machine = os.path.join(HERE, "../../compiler/machine/presets", machine + ".json")
    with open(machine) as file:
        return json.load(file)["links"][0]["bytes_per_second"]


def row(what, ours, peer, aim, verdict):
    print(f"predicted: {what:58} {ours:>14} {peer:>14} {aim:>14}  {verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../bazel-bin"), help="folder of what was built")
    parser.add_argument("--machine", default="dgx-h100")
    args = parser.parse_args()
    row("", "ours", "the peer", "aim", "")
    with tempfile.TemporaryDirectory() as folder:
        for plan in plans.benchmarks(tiny=False):
            kind = plan.about["row"]
            if kind == "overhead":
                row("host overhead per instruction", "not predicted", "-", "below 5 us", "not run")
            elif kind == "fetch":
                # Of no machine: for one, all would be on one GPU.
                found = simulated(args, plan, plan.gpus, folder)
                links = [link for link in found["links"] if link["to"] != "host" and link["from"] != "host"]
                most = max(max(link["forward_bytes"], link["backward_bytes"]) for link in links)
                transfer = max(gpu["transfer_seconds"] for gpu in found["gpus"])
                rate, limit = most / transfer, link_rate(args.machine)
                row(f"{plan.name}, over one link", f"{rate / 1e9:.0f} GB/s", f"{limit / 1e9:.0f} GB/s", "0.9 or more",
                    "holds" if rate / limit >= 0.9 * (1 - NOISE) else "does not hold")
            else:
                machine = ["--machine", args.machine]
                one = simulated(args, plan, 1, folder, *machine)["step_seconds"]
                eight = simulated(args, plan, 8, folder, *machine)["step_seconds"]
                what = f"{plan.name}, {'training step' if plan.train else 'the sum'}"
                aim = "1 or more"
                row(f"{what}, 1 GPU", f"{1e3 * one:.2f} ms", "not predicted", aim, "not run")
                row(f"{what}, 8 GPUs, the same batch", f"{1e3 * eight:.2f} ms", "not predicted", "-",
                    f"{one / eight:.1f} times as fast as 1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
