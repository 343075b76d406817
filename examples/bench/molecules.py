#!/usr/bin/env python3
"""How long one small graph takes, such as a molecule: GCN and GAT, evaluated on one core, against PyTorch Geometric, DGL and
plain PyTorch.

usage: examples/bench/molecules.py [--bin FOLDER] [--python FILE] [--dgl-python FILE] [--peers torch,pyg] [--atoms 24]

Two layers, 16 features, hidden 32 (GAT: 4 heads of 8), 4 classes. `one molecule`: the same in every step, known when smex
compiles; peers have it ready, too (edges as tensors, GCN's normalization worked out once). `another one in each step`: ours is
a plan that has room for any, and gets the next of 1,000, its features and the order of its edges included. Peers take 100 in
turn, each made before as tensors or DGL's graph, which is not counted. All on one thread and one core; by the clock and in
processor seconds, which a busy machine changes least: of ours what runs of different length differ by, so all of a step, of
peers the median step. Runs alternate, and the median of the rounds counts. Logits of the one molecule are compared, by their
sum of magnitudes. The aim is a tenth of PyG's and DGL's time, by both.
"""

import argparse
import os
import statistics
import struct
import subprocess

from graph_runs import Bench, Failed, Network, Run, add_options, alternate, measure

AIM = 10
STEPS = 20000
PEERS = 100  # molecules that a peer takes in turn


def took(clock, cpu):
    """A run, whose medians over rounds count: seconds of a step by the clock, and of the processor."""
    return Run([clock], 0, [], cpu)


def run(bench, plan, *words):
    command = [bench.tool("smex-run"), plan, "--threads", "1", *words, "--steps"]
    short, long = (measure([*command, str(steps)]) for steps in (STEPS, 3 * STEPS))
    return took(*((long[i] - short[i]) / (2 * STEPS) for i in (0, 2)))


def compiled(bench, name, model, *words):
    plan = bench.path(name)
    if not os.path.exists(plan):
        subprocess.run([bench.tool("smexc"), model, "--gpus", "1", *words, "-o", plan], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return plan


def told(run):
    return f"{1e6 * run.median:.1f} us by the clock, {1e6 * run.cpu:.1f} us CPU ({len(run.cpus)} rounds)"


def sum_of(path):
    """Of the magnitudes in an .npy file of f32."""
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return sum(abs(x[0]) for x in struct.iter_unpack("<f", data[begin:]))


def row(bench, network, graph, many, options):
    model = bench.path(network.model + ".json")
    subprocess.run([bench.tool("smex-zoo"), *network.zoo(), "-o", model], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    bench.prepare(network, graph)
    given = ["--input", "features=" + bench.path("features.npy"), "--parameters", bench.path("parameters.safetensors")]
    one = compiled(bench, network.model + "-one", model, "--graph", graph)
    room = compiled(bench, network.model + "-room", model, "--dim", f"nodes={options.atoms + 8}", "--dim",
                    f"edges={8 * options.atoms}")
    bench.sums = {}

    def known():
        found = run(bench, one, *given, "--output-dir", bench.path("out"))
        bench.sums["smex"] = sum_of(bench.path("out/logits.npy"))
        return found

    def peer(framework, molecules):
        python = options.dgl_python if framework == "dgl" else options.python
        if not python:
            raise Failed("no --dgl-python")
        task = {"do": "infer", "framework": framework, "steps": 2000, **bench.task(network, graph)}
        if molecules:
            task.update(graph=bench.path("one{}.npz"), molecules=molecules)
        found = bench.child(python, task)
        if not molecules:
            bench.sums[framework] = found["sum"]
        return took(statistics.median(found["seconds"]), found["cpu"])

    ways = {("smex", "one molecule"): known,
            ("smex", "another one in each step"): lambda: run(bench, room, "--graph", many, "--parts", "1")}
    for framework in options.peers.split(","):
        ways[framework, "one molecule"] = lambda framework=framework: peer(framework, 0)
        if framework != "torch":  # it has no layers of its own, and so nothing that takes any graph
            ways[framework, "another one in each step"] = lambda framework=framework: peer(framework, PEERS)
    found = alternate(ways, options.rounds)
    for kind in "one molecule", "another one in each step":
        ours = found["smex", kind]
        print(f"\n{network.model}, {kind}: {told(ours)}")
        for framework in options.peers.split(","):
            theirs = found.get((framework, kind))
            if isinstance(theirs, str):
                print(f"  {framework:6} {theirs}")
            elif theirs:
                times = theirs.median / ours.median, theirs.cpu / ours.cpu
                aim = "" if framework == "torch" else f", the aim of {AIM} {'holds' if min(times) >= AIM else 'does not hold'}"
                off = abs(bench.sums[framework] / bench.sums["smex"] - 1)
                print(f"  {framework:6} {told(theirs)}: {times[0]:.1f} and {times[1]:.1f} times ours{aim}"
                      + (f"; logits differ by {off:.0e}" if kind == "one molecule" else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--peers", default="torch,pyg", help="of torch, pyg, dgl; default: %(default)s")
    parser.add_argument("--atoms", type=int, default=24, help="of a molecule, give or take six; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    options.threads = 1
    bench = Bench(options)
    graph, many = bench.path("one0.npz"), bench.path("many.npz")
    files = [(bench.path(f"one{number}.npz"), 1) for number in range(PEERS)] + [(many, 1000)]
    bench.child(options.python, {"do": "molecules", "atoms": options.atoms, "files": files})
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # of children, too
    for network in Network("gcn", 16, 32, 4), Network("gat", 16, 8, 4, heads=4):
        row(bench, network, graph, many, options)


if __name__ == "__main__":
    main()
