#!/usr/bin/env python3
"""smexc --reproducible: outputs, losses and trained parameters of a graph network are the same bits in plans that are
made for a random graph, few edges per node or many, and in plans with room for others, little or a lot, on any number of
workers. Sizes must not decide which numbers of edges are stored and which are computed anew.

usage: graph_bits.py SMEX_ZOO SMEXC SMEX_RUN NETWORK [SEED]
"""

import json
import os
import subprocess
import sys

import numpy as np

NODES, FEATURES, HEADS, HIDDEN, CLASSES, EDGE_FEATURES = 45, 11, 3, 7, 5, 3
TRAINING = "--train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01".split()
# Graph attention whose scores are no sum of two numbers of nodes (Brody et al.)
GATV2 = """gatv2(x[V, H, F], y[V, H, F], a[H, F], src[E], dst[E]):
    s = lambda e < E, h < H, f < F: x[src[e], h, f] + y[dst[e], h, f]
    t = lambda e < E, h < H: Sum(lambda f < F: a[h, f] * (s[e, h, f] if s[e, h, f] >= 0 else 0.2 * s[e, h, f]))
    m = detached lambda v < V, h < H: Max(lambda e < E: t[e, h] where dst[e] == v)
    p = lambda e < E, h < H: exp(t[e, h] - m[dst[e], h])
    z = lambda v < V, h < H: Sum(lambda e < E: p[e, h] where dst[e] == v)
    o = lambda v < V, h < H, f < F: Sum(lambda e < E: p[e, h] * x[src[e], h, f] where dst[e] == v)
    return lambda v < V, h < H, f < F: o[v, h, f] / max(z[v, h], 1e-30)"""


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"


def write_gatv2(name):
    parameters, nodes, tensor, width = [], [], "features", FEATURES
    for layer, (heads, features) in enumerate([(HEADS, HIDDEN), (1, CLASSES)]):
        def node(operator, inputs, output, **attributes):
            nodes.append({"op": operator, "inputs": inputs, "outputs": [output], "attributes": attributes})
            return output

        def parameter(tensor, *shape):
            parameters.append({"name": tensor, "type": "f32", "shape": shape, "drawn": 0.6})
            return tensor

        node("Constant", [], f"heads{layer}", value_ints=[-1, heads, features])
        node("Constant", [], f"rows{layer}", value_ints=[-1, heads * features])
        ends = []
        for end in "xy":
            weight = parameter(f"{end}{layer}.weight", width, heads * features)
            rows = node("MatMul", [tensor, weight], f"{end}{layer}.rows")
            ends.append(node("Reshape", [rows, f"heads{layer}"], f"{end}{layer}"))
        score = parameter(f"score{layer}", heads, features)
        tensor = node("gatv2", [*ends, score, "sources", "destinations"], f"attention{layer}")
        tensor = node("Reshape", [tensor, f"rows{layer}"], f"joined{layer}")
        tensor = node("Elu", [tensor], f"elu{layer}") if layer == 0 else node("Identity", [tensor], "logits")
        width = heads * features
    graph = {"nodes": "nodes", "edges": "edges", "sources": "sources", "destinations": "destinations"}
    with open(name, "w", encoding="utf-8") as file:
        json.dump({"format": "smex-model", "version": 1, "opset": 23, "graph": graph, "operators": [GATV2],
                   "inputs": [{"name": "features", "type": "f32", "shape": ["nodes", FEATURES]}],
                   "parameters": parameters, "nodes": nodes, "outputs": ["logits"]}, file)


def write_model(name, zoo, network):
    if network == "gatv2":
        return write_gatv2(name)
    options = ["--layers", 2, "--features", FEATURES, "--hidden", HIDDEN, "--classes", CLASSES, "-o", name]
    if network in ("gat", "graph-transformer"):
        options += ["--heads", HEADS]
    if network == "graph-transformer":
        options += ["--edge-features", EDGE_FEATURES]
    return command(zoo, network, *options)


class Graph:
    """With its inputs, in files."""

    def __init__(self, random, name, edges, network):
        self.file, self.inputs = f"{name}.txt", []
        # Some nodes have more edges than others; the last node has one.
        ends = {(int(random.integers(NODES)), int(NODES * random.random() ** 2)) for _ in range(edges)} | {(0, NODES - 1)}
        ends = sorted(ends, key=lambda _: random.random())
        with open(self.file, "w", encoding="utf-8") as file:
            file.writelines(f"{source} {destination}\n" for source, destination in ends)
        self.give(name, "features", random.standard_normal((NODES, FEATURES)))
        if network == "graph-transformer":
            self.give(name, "edge_features", random.standard_normal((len(ends), EDGE_FEATURES)))
        self.labels = f"{name}.labels.npy"
        np.save(self.labels, random.integers(-1, CLASSES, NODES))

    def give(self, name, tensor, values):
        np.save(f"{name}.{tensor}.npy", values.astype(np.float32))
        self.inputs += ["--input", f"{tensor}={name}.{tensor}.npy"]


def results(smex_run, plan, graph, at_run):
    given = graph.inputs + (["--graph", graph.file] if at_run else [])
    command(smex_run, f"{plan}.eval", *given, "--seed", 7, "--output-dir", "out")
    command(smex_run, f"{plan}.train", *given, "--seed", 7, "--input", f"labels={graph.labels}", "--steps", 3,
            "--metrics", "metrics.json", "--save-parameters", "trained")
    logits = np.load("out/logits.npy")[:NODES]
    assert np.isfinite(logits).all() and logits.std() > 0
    with open("metrics.json", encoding="utf-8") as file:
        losses = [step["loss"] for step in json.load(file)["steps"]]
    assert len(set(losses)) == 3, losses
    with open("trained", "rb") as file:
        return {"logits": logits.tobytes(), "losses": losses, "parameters": file.read()}


def main(zoo, smexc, smex_run, network, seed):
    random = np.random.default_rng(seed)
    write_model("model.json", zoo, network)

    def compiled(plan, gpus, *options):
        for kind, training in ("eval", []), ("train", TRAINING):
            command(smexc, "model.json", *options, "--gpus", gpus, "--reproducible", "--cuda-arch", "none", "-o",
                    f"{plan}.{kind}", *training)

    graphs = [Graph(random, "few", NODES // 2, network), Graph(random, "many", NODES * 20, network)]
    # By size, scores of such a room are not worth storing, those of the first graph are.
    rooms = [(gpus, NODES + 7, NODES * 400) for gpus in (1, 3, 8)] + [(1, 60 * NODES, 50 * NODES)]
    first = {}
    for graph in graphs:
        for gpus in 1, 3, 8:
            compiled("plan", gpus, "--graph", graph.file)
            got = results(smex_run, "plan", graph, at_run=False)
            for what, value in got.items():
                expected = first.setdefault((graph.file, what), value)
                assert value == expected, f"{graph.file}, {gpus} workers: other {what}"
    for gpus, nodes, edges in rooms:
        compiled("plan", gpus, "--dim", f"nodes={nodes}", "--dim", f"edges={edges}")
        for graph in graphs:
            for what, value in results(smex_run, "plan", graph, at_run=True).items():
                assert value == first[graph.file, what], (
                    f"{graph.file}, {gpus} workers, room for {nodes} nodes and {edges} edges: other {what}")


if __name__ == "__main__":
    PROGRAMS = [os.path.abspath(program) for program in sys.argv[1:4]]
    os.chdir(os.environ.get("TEST_TMPDIR", "."))
    main(*PROGRAMS, sys.argv[4], int(sys.argv[5]) if len(sys.argv) > 5 else 1)
