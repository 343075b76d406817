#!/usr/bin/env python3
"""How long one small graph takes, such as a molecule: GCN and GAT, evaluated on one core, against PyTorch Geometric, DGL and
plain PyTorch.

usage: examples/bench/molecules.py [--bin FOLDER] [--python FILE] [--dgl-python FILE] [--peers torch,pyg] [--atoms 24]
       [--at-once 32,128,1024]

Two layers, 16 features, hidden 32 (GAT: 4 heads of 8), 4 classes. `one molecule`: the same in every step, known when smex
compiles; peers have it ready, too (edges as tensors, GCN's normalization worked out once). `another one in each step`: ours is
a plan that has room for any, and gets the next of 1,000, its features and the order of its edges included. Peers take 100 in
turn, each made before as tensors or DGL's graph, which is not counted. All on one thread and one core; by the clock and in
processor seconds, which a busy machine changes least: of ours what runs of different length differ by, so all of a step, of
peers the median step. Runs alternate, and the median of the rounds counts. Logits of the one molecule are compared, by their
sum of magnitudes. The aim is a tenth of PyG's and DGL's time, by both.

--at-once: so many molecules side by side in each step, the same ones or others. Others: laying them side by side is part of the
step, ours (`--parts`, in a plan that has room for nearly all draws) and theirs, of graphs that are there one by one (PyG's
`Batch.from_data_list`, DGL's `dgl.batch`). For these there is no aim but to be behind nobody.
"""

import argparse
import json
import os
import statistics
import struct
import subprocess

from graph_runs import Bench, Failed, Network, Run, add_options, alternate, measure

AIM = 10
STEPS = 20000  # of one molecule
PEERS = 100  # molecules that a peer takes in turn


def took(clock, cpu):
    """A run, whose medians over rounds count: seconds of a step by the clock, and of the processor."""
    return Run([clock], 0, [], cpu)


def run(bench, plan, *words, steps=STEPS):
    command = [bench.tool("smex-run"), plan, "--threads", "1", *words, "--steps"]
    short, long = (measure([*command, str(number)]) for number in (steps, 3 * steps))
    return took(*((long[i] - short[i]) / (2 * steps) for i in (0, 2)))


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


class Comparison:
    """Of one network: runs of ours and of peers on the same molecules, of which `count` are side by side."""

    def __init__(self, bench, network, count, graph, many):
        self.bench, self.network, self.count, self.graph, self.many = bench, network, count, graph, many
        self.sums = {}  # of logits' magnitudes, of molecules that stay the same
        self.model = bench.path(network.model + ".json")
        subprocess.run([bench.tool("smex-zoo"), *network.zoo(), "-o", self.model], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        bench.prepare(network, graph)

    def room(self):
        """Nodes and edges that a plan needs for nearly all draws."""
        atoms, count = self.bench.options.atoms, self.count
        if count == 1:
            return atoms + 8, 8 * atoms
        with open(self.many + ".sizes.json", encoding="utf-8") as file:
            sizes = json.load(file)
        return [int(count * statistics.mean(each) + 4 * count ** 0.5 * statistics.stdev(each)) for each in zip(*sizes)]

    def known(self):
        bench, name = self.bench, f"{self.network.model}-{self.count}"
        plan = compiled(bench, name, self.model, "--graph", self.graph)
        found = run(bench, plan, "--input", "features=" + bench.path("features.npy"), "--parameters",
                    bench.path("parameters.safetensors"), "--output-dir", bench.path("out"), steps=STEPS // self.count or 1)
        self.sums["smex"] = sum_of(bench.path("out/logits.npy"))
        return found

    def others(self):
        nodes, edges = self.room()
        plan = compiled(self.bench, f"{self.network.model}-{self.count}-room", self.model, "--dim", f"nodes={nodes}", "--dim",
                        f"edges={edges}")
        return run(self.bench, plan, "--graph", self.many, "--parts", str(self.count), steps=max(20, STEPS // self.count))

    def peer(self, framework, others):
        bench, options = self.bench, self.bench.options
        python = options.dgl_python if framework == "dgl" else options.python
        if not python:
            raise Failed("no --dgl-python")
        task = {"do": "infer", "framework": framework, "steps": max(20, 2000 // self.count), **bench.task(self.network, self.graph)}
        if others and self.count == 1:
            task.update(graph=bench.path("one{}.npz"), molecules=PEERS)
        elif others:
            task.update(graph=self.many, at_once=self.count)
        found = bench.child(python, task)
        if not others:
            self.sums[framework] = found["sum"]
        return took(statistics.median(found["seconds"]), found["cpu"])

    def print(self):
        peers = self.bench.options.peers.split(",")
        ways = {("smex", False): self.known, ("smex", True): self.others}
        for framework in peers:
            ways[framework, False] = lambda framework=framework: self.peer(framework, False)
            if framework != "torch":  # it has no layers of its own, and so nothing that takes any graph
                ways[framework, True] = lambda framework=framework: self.peer(framework, True)
        found = alternate(ways, self.bench.options.rounds)
        names = ["one molecule", "another one in each step"] if self.count == 1 else \
            [f"{self.count} molecules at once", f"{self.count} others in each step"]
        for others, name in enumerate(names):
            ours = found["smex", bool(others)]
            print(f"\n{self.network.model}, {name}: {told(ours)}", flush=True)
            for framework in peers:
                self.beside(framework, found.get((framework, bool(others))), ours, others)

    def beside(self, framework, theirs, ours, others):
        if isinstance(theirs, str):
            print(f"  {framework:6} {theirs}")
        elif theirs:
            times = theirs.median / ours.median, theirs.cpu / ours.cpu
            aim = "" if framework == "torch" or self.count > 1 else \
                f", the aim of {AIM} {'holds' if min(times) >= AIM else 'does not hold'}"
            off = "" if others else f"; logits differ by {abs(self.sums[framework] / self.sums['smex'] - 1):.0e}"
            print(f"  {framework:6} {told(theirs)}: {times[0]:.1f} and {times[1]:.1f} times ours{aim}{off}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--peers", default="torch,pyg", help="of torch, pyg, dgl; default: %(default)s")
    parser.add_argument("--atoms", type=int, default=24, help="of a molecule, give or take six; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--at-once", default="1", metavar="NUMBER,..", help="molecules in a step; default: %(default)s")
    parser.add_argument("--networks", default="gcn,gat", help="default: %(default)s")
    options = parser.parse_args()
    options.threads = 1
    bench = Bench(options)
    counts = [int(count) for count in options.at_once.split(",")]
    many = bench.path("many.npz")
    singles = [(bench.path(f"one{number}.npz"), 1) for number in range(PEERS)] if 1 in counts else []
    batches = [(bench.path(f"batch{count}.npz"), count) for count in counts if count > 1]
    bench.child(options.python, {"do": "molecules", "atoms": options.atoms,
                                 "files": [*singles, *batches, (many, max(1000, 4 * max(counts)))]})
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # of children, too
    for network in Network("gcn", 16, 32, 4), Network("gat", 16, 8, 4, heads=4):
        for count in counts if network.model in options.networks.split(",") else []:
            graph = bench.path("one0.npz" if count == 1 else f"batch{count}.npz")
            Comparison(bench, network, count, graph, many).print()


if __name__ == "__main__":
    main()
