#!/usr/bin/env python3
"""The table of gpu-check as `smexc simulate` predicts it for one H100 and for eight: nothing is run.

usage: examples/bench/predicted.py [--bin FOLDER] [--machine dgx-h100] [--tiny]

Needs a build: bazel build //tools:smexc //tools:smex-zoo. The rates behind it are those that others have measured
(compiler/machine/presets/README.md), and below. A fetch's peer is the link's rate, cuSPARSE a kernel that reads a
value for each edge, too, at the memory's. Of PyTorch's training steps on an H100 no figure was found that has these
sizes and types; on an H200, tools/gpu-check has measured them, and they are compared with what is predicted for that.
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

# What a chain of empty kernels takes, each by itself and as one CUDA graph, by its length: 2.65 us of the host for each
# one that is submitted; of a graph, 15 us and 0.58 us for each node. RTX 5070 Ti (laptop), driver 610.62, WSL2:
# https://github.com/ahrefs/ocannl/issues/488. Of an H100 no such table was found. The host alone takes less: 3.5 us for a
# graph of 80 kernels that takes 70 us, on a GPU that is not named (https://cuda.juliagpu.org/dev/usage/graphs/).
SUBMISSION = {"issue_seconds": 2.65e-6}
NODE = {"launch_seconds": 0.58e-6}
GRAPH_SECONDS = 15e-6

# Seconds of a step on an H200 by PyTorch 2.11 and torch.compile (tools/gpu_check/README.md).
MEASURED = {
    "ResNet-50 f32": (78.0e-3, 74.1e-3),
    "ResNet-50 bf16": (23.6e-3, 26.3e-3),
    "GPT f32": (159e-3, 157e-3),
    "GPT bf16": (33.4e-3, 20.4e-3),
}


def simulated(args, plan, gpus, folder, *options, machine=None):
    """What smexc simulate says of the plan for so many GPUs, and how many instructions it has."""
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
    subprocess.run([smexc, "simulate", to, "--machine", machine or args.machine, "--json", result], check=True,
                   stdout=subprocess.DEVNULL)
    with open(os.path.join(to, "program.json")) as file:
        count = len(json.load(file)["instructions"])
    with open(result) as file:
        return json.load(file), count


def description(machine):
    if not machine.endswith(".json"):
        machine = os.path.join(HERE, "../../compiler/machine/presets", machine + ".json")
    with open(machine) as file:
        return json.load(file)


def changed(args, folder, **device):
    """The machine, its devices with these numbers."""
    machine = description(args.machine)
    machine["device"].update(device)
    path = os.path.join(folder, "machine.json")
    with open(path, "w") as file:
        json.dump(machine, file)
    return path


def overhead(args, plan, folder):
    """As tools/gpu-check has it: a step of tiny instructions takes no less than the host needs for them."""
    for how, device, once in ("one by one", SUBMISSION, 0), ("one graph", NODE, GRAPH_SECONDS):
        found, count = simulated(args, plan, 1, folder, machine=changed(args, folder, **device))
        each = (found["step_seconds"] + once) / count
        row(f"seconds per instruction, {count} tiny ones, {how}", f"{1e6 * each:.2f} us", "-", "below 5 us",
            "holds" if each < 5e-6 else "does not hold")


def steps(args, plan, folder):
    machine = ["--machine", args.machine]
    one, eight = (simulated(args, plan, gpus, folder, *machine)[0]["step_seconds"] for gpus in (1, 8))
    what = f"{plan.name}, {'training step' if plan.train else 'the sum'}"
    if plan.about["row"] == "aggregate":
        # It reads the matrix' value of each edge, too: as much as one more feature.
        values = plans.Plan(plan.name, "bench", 1, text=plans.sum_model(plan.about["width"] + 1), options=plan.options)
        seconds = simulated(args, values, 1, folder, *machine)[0]["step_seconds"]
        against(f"{what}, 1 GPU, cuSPARSE", one, seconds)
    else:
        row(f"{what}, 1 GPU", milliseconds(one), "-", "-", "")
        ours = simulated(args, plan, 1, folder, "--machine", "h200", machine="h200")[0]["step_seconds"]
        for peer, seconds in zip(("PyTorch", "torch.compile"), MEASURED[plan.name]):
            against(f"{what}, an H200, {peer} as measured", ours, seconds, args.tiny)
    row(f"{what}, 8 GPUs, the same batch", milliseconds(eight), "-", "-", f"{one / eight:.1f} times as fast as 1")


def milliseconds(seconds):
    return f"{1e3 * seconds:.2f} ms"


def against(what, ours, peer, is_other=False):
    """Ours is to take no longer. is_other: of sizes that the peer was not measured at."""
    holds = "holds" if peer / ours >= 1 - NOISE else "does not hold"
    row(what, milliseconds(ours), milliseconds(peer), "1 or more",
        "of other sizes" if is_other else f"{peer / ours:.2f}, {holds}")


def fetch(args, plan, folder):
    # Of no machine: for one, all would be on one GPU.
    found, _ = simulated(args, plan, plan.gpus, folder)
    links = [link for link in found["links"] if link["to"] != "host" and link["from"] != "host"]
    most = max(max(link["forward_bytes"], link["backward_bytes"]) for link in links)
    transfer = max(gpu["transfer_seconds"] for gpu in found["gpus"])
    rate, limit = most / transfer, description(args.machine)["links"][0]["bytes_per_second"]
    row(f"{plan.name}, over one link", f"{rate / 1e9:.0f} GB/s", f"{limit / 1e9:.0f} GB/s", "0.9 or more",
        "holds" if rate / limit >= 0.9 * (1 - NOISE) else "does not hold")


def row(what, ours, peer, aim, verdict):
    print(f"predicted: {what:66} {ours:>14} {peer:>14} {aim:>14}  {verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../bazel-bin"), help="folder of what was built")
    parser.add_argument("--machine", default="dgx-h100")
    parser.add_argument("--tiny", action="store_true", help="plans of tiny sizes, to see that it works")
    args = parser.parse_args()
    row("", "ours", "the peer", "aim", "")
    with tempfile.TemporaryDirectory() as folder:
        for plan in plans.benchmarks(tiny=args.tiny):
            {"overhead": overhead, "fetch": fetch}.get(plan.about["row"], steps)(args, plan, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
