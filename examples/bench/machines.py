#!/usr/bin/env python3
"""What knowing the machine is worth: a training step as `smexc simulate` predicts it, of the plan for the machine, of
the plan of no machine, of Tofu's search, and of data parallelism; and what crosses the slowest links.

usage: examples/bench/machines.py [--models NAME,...] [--bin FOLDER]

Needs a build: bazel build //tools:smexc //tools:smex-zoo. Exit status 3 if the plan for a machine is slower there than
another one in the table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {
    "mlp": "mlp --batch 1024",
    "RNN-2-1K": "rnn --layers 2 --hidden 1024 --steps 10 --batch 256",
    "wresnet": "wresnet --depth 50 --width 4 --batch 32",
    "transformer": "transformer --layers 4 --hidden 512 --heads 8 --sequence 128 --vocabulary 8000 --batch 32",
    "unet": "unet --batch 16",
    "WResNet-152-10": "wresnet --depth 152 --width 10 --batch 8",
}
# The last one: two GPUs, one a quarter as fast as the other, with a quarter of its memory.
MACHINES = {"roc-p100-cluster": 16, "p2.8xlarge": 8, "dgx-h100": 8,
            os.path.join(HERE, "../guides/unlike.json"): 2}


def main(args):
    slower = 0
    smexc = os.path.join(args.bin, "tools/smexc")

    def compiled(model, plan, *options):
        """Whether there is such a plan."""
        stats = plan + ".json"
        done = subprocess.run([smexc, model, "--train", "--optimizer", "adagrad", "--lr", "0.01", "-o", plan, "--stats",
                               stats, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.load(open(stats)) if done.returncode == 0 else None

    def step(plan, machine, result):
        """Milliseconds, and whether all fits."""
        subprocess.run([smexc, "simulate", plan, "--machine", machine, "--json", result], check=True,
                       stdout=subprocess.DEVNULL)
        simulation = json.load(open(result))
        return simulation["step_seconds"] * 1000, not any(gpu["out_of_memory"] for gpu in simulation["gpus"])

    print(f"{'':16}{'machine':18}{'GPUs':>5}{'ours ms':>10}{'no machine':>12}{'tofu':>10}{'data-par.':>11}"
          f"{'network MiB':>12}{'no machine':>12}{'compile s':>11}")
    for name, arguments in MODELS.items():
        if args.models and name not in args.models.split(","):
            continue
        for machine, gpus in MACHINES.items():
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "model.json")
                subprocess.run([os.path.join(args.bin, "tools/smex-zoo"), *arguments.split(), "-o", model], check=True,
                               stdout=subprocess.DEVNULL)
                plan = os.path.join(folder, "plan")
                count = ["--gpus", str(gpus)]
                times, crossing = [], []
                stats = compiled(model, plan, *count, "--machine", machine)
                short = os.path.splitext(os.path.basename(machine))[0] if machine.endswith(".json") else machine
                if not stats:
                    print(f"{name:16}{short:18}{gpus:5}  no plan fits")
                    continue
                for options in [["--machine", machine], [], ["--algorithm", "tofu"], ["--algorithm", "data-parallel"]]:
                    if not compiled(model, plan, *count, *options):
                        times.append((float("nan"), False))
                        continue
                    times.append(step(plan, machine, os.path.join(folder, "simulation.json")))
                    crossing.append(network(json.load(open(os.path.join(folder, "simulation.json")))))
                slower += any(fits and ms < times[0][0] for ms, fits in times[1:])
                shown = "".join(f"{f'{ms:.4g}' + ('' if fits else ' *'):>{width}}"
                                for (ms, fits), width in zip(times, (10, 12, 10, 11)))
                print(f"{name:16}{short:18}{gpus:5}{shown}{crossing[0]:>12}{crossing[1]:>12}"
                      f"{stats['total_seconds']:11.1f}", flush=True)
    print("* does not fit the memory")
    return 3 if slower else 0


def network(simulation):
    """MiB over links to a network between hosts, or nothing where there is none."""
    used = [link["forward_bytes"] + link["backward_bytes"] for link in simulation["links"]
            if "infiniband" in (link["to"], link["from"])]
    return f"{sum(used) / 2**21:.1f}" if used else ""  # each byte goes to the network, and comes from it


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="only these, separated by commas")
    parser.add_argument("--bin", default=os.path.join(HERE, "../../bazel-bin"), help="folder of what was built")
    sys.exit(main(parser.parse_args()))
