#!/usr/bin/env python3
"""A training step of GCN, GAT and GraphSAGE with sums on a large graph, and the sum of messages alone, on one worker, against
PyTorch Geometric, DGL, iSpLib and plain PyTorch.

usage: examples/bench/message_passing.py [--bin FOLDER] [--python FILE] [--dgl-python FILE] [--isplib-python FILE]
           [--nodes 65536] [--edges 5000000] [--peers pyg,..] [--only NAME]

R-MAT, two layers, 64 features, hidden 64 (GAT: 8 heads of 8), 16 classes, Adam: all start from the same weights, and the
losses are compared. Runs alternate; medians of the steps after the first; memory is the peak of a process. Needs a build
(bazel build //tools:smexc //tools:smex-run //tools:smex-zoo //examples/bench:make_graph //examples/bench:triad), and a Python
that has torch, torch_geometric, numpy and scipy from PyPI.
"""

import argparse
import json
import subprocess

from graph_runs import OF_MATRICES, Bench, Network, Run, add_options, alternate, gib, losses_differ

NETWORKS = ("gcn", "gat", "sage-sum")
AIMS = {"gcn": 20, "gat": 10}
# GraphSAGE is written for PyTorch Geometric's layers alone.
NOT_OF_SUMS = ("dgl", "torch", "torch-csr")


def epoch(bench, name, graph, options):
    network = Network(name, options.features, 8 if name == "gat" else options.hidden, 16)
    ways = {"smex": lambda: bench.smex(network, graph, options.steps)}
    for framework in options.peers.split(","):
        if name == "gat" and framework in OF_MATRICES or name == "sage-sum" and framework in NOT_OF_SUMS:
            continue
        ways[framework] = lambda framework=framework: bench.peer(framework, network, graph, options.steps)
    found = alternate(ways, options.rounds)
    ours = found["smex"]
    print(f"\n{name}, a training step on {options.nodes} vertices, {options.edges} edges, {options.threads} threads")
    print(f"{'':22}{'s':>9}{'ratio':>8}{'CPU s':>9}{'ratio':>8}{'memory':>11}{'ratio':>8}{'steps':>7}"
          f"  losses differ by")
    for key, run in found.items():
        if isinstance(run, str):
            print(f"{key:22} {run}")
            continue
        print(f"{key:22}{run.median:9.3f}{run.median / ours.median:7.1f}x{run.cpu:9.3f}{run.cpu / ours.cpu:7.1f}x"
              f"{gib(run.memory):>11}{run.memory / ours.memory:7.1f}x{len(run.seconds):7}"
              f"  {f'{losses_differ(run, ours):.0e}' if key != 'smex' else ''}")
    print(f"the plan's peak: {gib(ours.plan)}; compiled in {ours.compiling[0]:.1f} s with {gib(ours.compiling[1])}"
          + (f"; the aim: {AIMS[name]}x faster than pyg, with a tenth of its memory" if name in AIMS else ""))
    claim(found)


def claim(found):
    """What iSpLib makes of PyTorch Geometric's speed, by each of the ways in which that multiplies."""
    isplib = found.get("isplib")
    if isinstance(isplib, Run):
        others = {name: run for name, run in found.items() if name.startswith("pyg-2.4") and isinstance(run, Run)}
        print("isplib's speed: " + ", ".join(f"{run.median / isplib.median:.1f} times {name}'s ({run.cpu / isplib.cpu:.1f} in CPU s)"
                                             for name, run in others.items()))


def sum_model(width):
    """Of one node."""
    return {"format": "smex-model", "version": 1, "opset": 23,
            "graph": {"nodes": "nodes", "edges": "edges", "sources": "sources", "destinations": "destinations",
                      "self_loops": True},
            "inputs": [{"name": "features", "type": "f32", "shape": ["nodes", width]}],
            "nodes": [{"op": "at_ends", "name": "messages", "inputs": ["features", "sources"], "outputs": ["messages"]},
                      {"op": "sum_messages", "name": "sum", "inputs": ["messages", "destinations", "features"],
                       "outputs": ["sum"]}],
            "outputs": ["sum"]}


def sums(bench, graph, width, options):
    """The sum of what edges bring, `width` features each."""
    model = bench.path(f"sum{width}.json")
    with open(model, "w") as file:
        json.dump(sum_model(width), file)
    network = Network("gcn", width, 1, 2)
    bench.prepare(network, graph)
    plan = bench.compile(model, graph, None)[0]
    ways = {"smex": lambda: bench.run(plan, options.steps, {"features": bench.path("features.npy")})}
    for framework in "torch", "torch-csr", "torch-csr-each":
        ways[framework] = lambda framework=framework: bench.peer(framework, network, graph, options.steps, "aggregate")
    found = alternate(ways, options.rounds)
    triad = float(subprocess.run([bench.tool("triad"), str(options.threads)], check=True, stdout=subprocess.PIPE).stdout)
    moved = 4 * width * (options.edges + 2 * options.nodes) + 4 * options.edges
    print(f"\nsum of messages, {width} features ({gib(4 * width * options.nodes)} of them); a triad does {triad:.1f} GB/s")
    print(f"{'':15}{'ms':>9}{'ratio':>8}{'CPU s':>9}{'ratio':>8}{'GB/s':>8}{'memory':>11}{'steps':>7}")
    for key, run in found.items():
        if isinstance(run, str):
            print(f"{key:15} {run}")
        else:
            print(f"{key:15}{1e3 * run.median:9.1f}{run.median / found['smex'].median:7.1f}x{run.cpu:9.3f}"
                  f"{run.cpu / found['smex'].cpu:7.1f}x{moved / run.median / 1e9:8.1f}{gib(run.memory):>11}{len(run.seconds):7}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--nodes", type=int, default=65536)
    parser.add_argument("--edges", type=int, default=5000000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=64, help="of GCN and GraphSAGE; default: %(default)s")
    parser.add_argument("--steps", type=int, default=8, help="of a process; the first does not count")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="pyg,pyg-csr,dgl,torch,torch-csr", help="default: %(default)s; and pyg-2.4, "
                        "pyg-2.4-sparse-tensor, pyg-2.4-torch-sparse and isplib, with --isplib-python")
    parser.add_argument("--only", choices=[*NETWORKS, "sum"])
    options = parser.parse_args()
    bench = Bench(options)
    graph = bench.draw("rmat", "--nodes", options.nodes, "--edges", options.edges)
    for name in NETWORKS:
        if options.only in (None, name):
            epoch(bench, name, graph, options)
    if options.only in (None, "sum"):
        for width in 64, 256:
            sums(bench, graph, width, options)


if __name__ == "__main__":
    main()
