#!/usr/bin/env python3
"""What a plan stores for each edge of a graph, over graphs of growing degree, sparse ones, too (graph_degree.sh begins where edges
are many).

usage: edges_stored.py SMEX_ZOO SMEXC

--recompute-messages always, and --reproducible: nothing in edges x heads, nor in edges x features: no number has a row per edge
but inputs, so that on one GPU the peak grows by the lists of the graph, and by nothing else.
By default: what is less than twice what it is made of is stored. So for all degrees, the peak is at most a constant times
nodes x features, and the lists and inputs of edges.
"""

import os
import random
import re
import subprocess
import sys

ZOO, SMEXC = sys.argv[1:]
WORK = os.environ.get("TEST_TMPDIR", ".")
NODES = 500
SLACK = 64 * 1024  # bytes: buffers begin at multiples of 64, and may leave gaps
TRAIN = ["--train", "--loss", "cross_entropy", "--optimizer", "adam", "--lr", "0.01"]
# Arguments, features of a node (of all heads), and so many times nodes x features may be stored in training and inference.
NETWORKS = {
    "gcn": ("gcn --hidden 32", 32, 3, 2.5),
    "gat": ("gat --hidden 4 --heads 8", 32, 9, 4),
    "wide GAT": ("gat --hidden 32 --heads 8 --dropout 0.6", 256, 9, 3),
    "graph transformer": ("graph-transformer --hidden 4 --heads 8 --edge-features 2", 32, 23, 11),
}
BYTES = {"i64": 8, "f32": 4, "i32": 4}
failed = []


def graph_of(degree):
    path = os.path.join(WORK, f"{degree}.txt")
    if not os.path.exists(path):
        pairs = random.Random(3).sample(range(NODES * NODES), NODES * degree)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{pair // NODES} {pair % NODES}\n" for pair in pairs)
    return path


class Plan:
    def __init__(self, model, degree, gpus, *options):
        text = subprocess.run([SMEXC, model, "--graph", graph_of(degree), "--gpus", str(gpus), "--cuda-arch", "none", "--emit", "exec",
                               *options], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.peak = max(map(int, re.search(r"arena = array<i64: ([\d, ]+)>", text).group(1).split(",")))
        self.of_edges = []  # tensors of numbers with a row per edge
        self.given = 0  # bytes of constants, and of inputs that have a row per edge
        edges, inputs = NODES * degree, set()
        for kind, name, shape, dtype in re.findall(r'exec\.buffer +(\w+)? ?"([^"]+)" : tensor<((?:\d+x)*)(\w+)>', text):
            extents = [int(extent) for extent in shape.split("x")[:-1]]
            size = BYTES.get(dtype, 1)
            for extent in extents:
                size *= extent
            has_edges = edges in extents or edges + NODES in extents  # and with an edge from each node to itself
            inputs.update([name] if kind == "input" else [])
            if kind == "constant" or (name in inputs and has_edges):  # a worker fetches an input under its name
                self.given += size
            elif has_edges and dtype.startswith("f"):
                self.of_edges.append(name)


def check(what, holds, found):
    print(f"{'ok    ' if holds else 'FAILED'} {what}: {found}")
    if not holds:
        failed.append(what)


for name, (arguments, features, most_training, most_inference) in NETWORKS.items():
    model = os.path.join(WORK, name.replace(" ", "_") + ".json")
    subprocess.run([ZOO, *arguments.split(), "--layers", "2", "--features", "16", "--classes", "4", "-o", model], check=True,
                   stdout=subprocess.DEVNULL)
    for mode, training, most in ("training", TRAIN, most_training), ("inference", [], most_inference):
        row = NODES * features * 4
        for way, gpus, degrees in ((["--recompute-messages", "always"], 1, (2, 8, 32, 128)),
                                   (["--recompute-messages", "always"], 3, (2, 8, 32, 128)), (["--reproducible"], 1, (2, 128))):
            plans = [Plan(model, degree, gpus, *training, *way) for degree in degrees]
            stored = [plan.of_edges for plan in plans]
            check(f"{name}, {mode}, {way[-1]}, {gpus} GPUs: nothing in edges x heads or features", not any(stored), stored)
            if gpus == 1:
                rest = [plan.peak - plan.given for plan in plans]
                check(f"{name}, {mode}, {way[-1]}: the peak grows by lists alone", max(rest) <= rest[0] + SLACK, rest)
        for gpus, degrees in (1, (2, 8, 16, 32, 64, 128, 500)), (3, (2, 32, 500)):
            plans = [Plan(model, degree, gpus, *training) for degree in degrees]
            times = [(plan.peak - plan.given) / row for plan in plans]
            check(f"{name}, {mode}, {gpus} GPUs: at most {most} x nodes x features, and lists", max(times) <= most,
                  ", ".join(f"{each:.2f}" for each in times))
            check(f"{name}, {mode}, {gpus} GPUs: nothing in edges x heads or features where edges are many",
                  not plans[-1].of_edges, plans[-1].of_edges)
        if name != "gcn":
            plan = Plan(model, 500, 1, *training, "--recompute-messages", "never")
            check(f"{name}, {mode}: were it stored, it would be more", plan.of_edges and (plan.peak - plan.given) / row > most,
                  f"{(plan.peak - plan.given) / row:.1f}")
sys.exit(1 if failed else 0)
