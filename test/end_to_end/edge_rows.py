#!/usr/bin/env python3
"""Inputs with a row per edge, against a count in plain Python: rows follow the edges of the graph's files, whatever order
the model has them in, through self-loops, room for more, several files and several workers; results with a row per edge
come back in the files' order.

usage: edge_rows.py SMEXC SMEX_RUN [SEED [TRIALS]]
"""

import json
import os
import subprocess
import sys

import numpy as np


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"


def refused(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 1, f"{done.returncode}: {' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"
    return done.stderr


def write_model(name, **parts):
    with open(name, "w", encoding="utf-8") as file:
        json.dump({"format": "smex-model", "version": 1, "opset": 17, **parts}, file)


def compare(found, expected, what):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=what)


GRAPH = {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"}


def example():
    """Three edges, whose weights are told apart by the sums that they give."""
    write_model("example.json", graph=GRAPH, inputs=[{"name": "w", "type": "f32", "shape": ["edges"]}],
                operators=["weigh(w[E], dst[E]; n): lambda v < n: Sum(lambda e < E: w[e] where dst[e] == v)"],
                nodes=[{"op": "weigh", "inputs": ["w", "dst"], "outputs": ["y"],
                        "attributes": {"n": {"dimension": "nodes"}}}], outputs=["y"])
    with open("example.txt", "w", encoding="utf-8") as file:
        file.write("2 0\n0 1\n1 0\n")
    np.save("w.npy", np.array([10, 200, 3000], np.float32))
    for gpus in range(1, 5):
        command(SMEXC, "example.json", "--graph", "example.txt", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan")
        command(SMEXC, "check", "plan")
        command(RUN, "plan", "--input", "w=w.npy", "--output-dir", "out", "--verify")
        compare(np.load("out/y.npy"), [3010, 200, 0], "compiled with the graph")
        for nodes, edges in ((3, 3), (5, 7)):
            command(SMEXC, "example.json", "--dim", f"nodes={nodes}", "--dim", f"edges={edges}", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan")
            command(SMEXC, "check", "plan")
            command(RUN, "plan", "--graph", "example.txt", "--input", "w=w.npy", "--output-dir", "out", "--verify")
            compare(np.load("out/y.npy")[:3], [3010, 200, 0], "run with the graph")
    # Known when compiled: in the files' order, too.
    command(SMEXC, "example.json", "--graph", "example.txt", "--constant", "w=w.npy", "--gpus", 2, "--cuda-arch", "none", "-o", "plan")
    command(RUN, "plan", "--output-dir", "out")
    compare(np.load("out/y.npy"), [3010, 200, 0], "a constant")
    message = refused(SMEXC, "example.json", "--dim", "nodes=3", "--dim", "edges=3", "--constant", "w=w.npy", "--gpus", 1,
                      "-o", "plan")
    assert 'input "w" has a row per edge of a graph that the plan is given when it runs' in message, message
    np.save("long.npy", np.zeros(4, np.float32))
    command(SMEXC, "example.json", "--graph", "example.txt", "--gpus", 2, "--cuda-arch", "none", "-o", "plan")
    message = refused(RUN, "plan", "--input", "w=long.npy")
    assert "f32[4], f32[3] expected, a row per edge of the graph that the plan was compiled with" in message, message
    message = refused(SMEXC, "example.json", "--graph", "example.txt", "--constant", "w=long.npy", "--gpus", 1, "--cuda-arch", "none", "-o", "plan")
    assert "a row for each of 3 edges is expected" in message, message


def messages():
    """What is refused when a model is read."""
    def compile_error(graph, *inputs):
        write_model("wrong.json", graph=graph, inputs=[{"name": "w", "type": "f32", "shape": shape} for shape in inputs],
                    operators=["count(dst[E]; n): lambda v < n: Sum(lambda e < E: 1.0 where dst[e] == v)"],
                    nodes=[{"op": "count", "inputs": ["dst"], "outputs": ["y"], "attributes": {"n": {"dimension": "nodes"}}}],
                    outputs=["y"])
        return refused(SMEXC, "wrong.json", "--graph", "example.txt", "--gpus", 1, "--cuda-arch", "none", "-o", "plan")

    looped = {**GRAPH, "self_loops": True}
    for graph, shape, expected in (
            (looped, ["edges"], 'and its graph adds self-loops: say in "loop_rows" what these have'),
            (GRAPH, [2, "edges"], 'has the edges, "edges", as its dimension 1: make them its first one'),
            ({**looped, "loop_rows": {"v": 1}}, ["nodes"], '"loop_rows" speak of "v", which is no input with a row per edge'),
            ({**looped, "loop_rows": {"w": "sum"}}, ["edges"], 'must be a number, "mean", or {"parameter": NAME}'),
            ({**looped, "loop_rows": {"w": {"parameter": "p"}}}, ["edges"], 'there is no parameter "p"'),
            ({**GRAPH, "loop_rows": {"w": 1}}, ["edges"], 'are for graphs with "self_loops"'),
            ({**GRAPH, "values": "v", "types": "t", "relations": 2}, ["edges"], "not both"),
            ({**GRAPH, "edges": "nodes"}, ["nodes"], '"edges" must be a dimension of its own')):
        message = compile_error(graph, shape)
        assert expected in message, (expected, message)


def write_graph(random, name, edges, values, nodes):
    """As a file of some format; the edges and values in the order of the file."""
    kind = random.integers(3)
    if kind == 0 and edges and max(max(edge) for edge in edges) == nodes - 1:
        with open(name + ".txt", "w", encoding="utf-8") as file:
            file.writelines(f"{s} {d} {v}\n" for (s, d), v in zip(edges, values))
        return name + ".txt", edges, values
    if kind == 1:
        with open(name + ".mtx", "w", encoding="utf-8") as file:
            file.write(f"%%MatrixMarket matrix coordinate real general\n{nodes} {nodes} {len(edges)}\n")
            file.writelines(f"{s + 1} {d + 1} {v}\n" for (s, d), v in zip(edges, values))
        return name + ".mtx", edges, values
    # A row per source, as scipy writes it; the entries of a row in any order.
    order = sorted(range(len(edges)), key=lambda e: edges[e][0])
    edges, values = [edges[e] for e in order], [values[e] for e in order]
    starts = np.cumsum([0] + [sum(s == v for s, _ in edges) for v in range(nodes)])
    np.savez(name + ".npz", format=np.array(b"csr"), shape=np.array([nodes, nodes]), data=np.array(values, np.float32),
             indices=np.array([d for _, d in edges], np.int32), indptr=starts.astype(np.int32))
    return name + ".npz", edges, values


class Case:
    """A random multigraph in one file or two, with self-loops, parallel edges and nodes that have none, and features of
    its edges; and what a model should make of them."""

    def __init__(self, random):
        self.files, self.edges, self.values, self.nodes = [], [], [], 0
        for i in range(int(random.integers(1, 3))):
            nodes = int(random.integers(1, 8))
            count = int(random.integers(0, 14))
            edges = [tuple(int(v) for v in random.integers(nodes, size=2)) for _ in range(count)]
            if edges and random.random() < 0.5:
                edges += [edges[0]] * 2  # parallel ones
            values = [int(v) for v in random.integers(-5, 6, size=len(edges))]
            file, edges, values = write_graph(random, f"graph{i}", edges, values, nodes)
            self.files.append(file)
            self.edges += [(s + self.nodes, d + self.nodes) for s, d in edges]
            self.values += values
            self.nodes += nodes
        self.loops = random.random() < 0.7
        n, e = self.nodes, len(self.edges)
        integers = lambda *shape: random.integers(-5, 6, size=shape).astype(np.float32)
        self.x, self.a, self.c = integers(n, 2), integers(e, 2), random.integers(-5, 6, size=e)
        self.p = integers(2)
        number = int(random.integers(-3, 4))
        self.rows = {"v": [number, 1, "mean"][random.integers(3)], "c": int(random.integers(3)),
                     "a": [number, "mean", {"parameter": "p"}][random.integers(3)]}

    def graph(self):
        loops = {"self_loops": True, "loop_rows": self.rows} if self.loops else {}
        return {**GRAPH, "values": "v", **loops}

    def loop_row(self, name, features, node):
        row = self.rows[name]
        if row == "mean":
            own = [features[e] for e, (_, d) in enumerate(self.edges) if d == node]
            return np.mean(own, axis=0) if own else np.zeros_like(np.asarray(features, np.float32).sum(0))
        if isinstance(row, dict):
            return self.p
        return np.full(np.asarray(features, np.float32).shape[1:], row, np.float32)

    def expected(self):
        """Of each node a row, of each edge of the files a number."""
        values = np.array(self.values, np.float32)
        all_edges = [(s, d, values[e], self.a[e], self.c[e]) for e, (s, d) in enumerate(self.edges)]
        own = [(a * self.x[s]).sum() + v for s, d, v, a, c in all_edges]
        looped = {s for s, d in self.edges if s == d}
        for node in range(self.nodes):
            if self.loops and node not in looped:
                all_edges.append((node, node, self.loop_row("v", values, node), self.loop_row("a", self.a, node),
                                  self.loop_row("c", self.c, node)))
        y = np.zeros((self.nodes, 2), np.float32)
        for s, d, v, a, c in all_edges:
            y[d] += (v * a + c) * self.x[s]
        return y, np.array(own, np.float32), len(all_edges)


OPERATORS = [
    "sum(v[E], a[E, F], c[E], x[V, F], src[E], dst[E]): lambda n < V, f < F: "
    "Sum(lambda e < E: (v[e] * a[e, f] + cast(c[e], f32)) * x[src[e], f] where dst[e] == n)",
    "own(v[E], a[E, F], x[V, F], src[E]): lambda e < E: Sum(lambda f < F: a[e, f] * x[src[e], f]) + v[e]",
    # The same sum by mailboxes.
    "message(v[E], a[E, F], c[E], x[V, F], src[E]): lambda e < E, f < F: (v[e] * a[e, f] + cast(c[e], f32)) * x[src[e], f]",
]


def write_case(name, case, mailboxes):
    summed = ["v", "a", "c", "x", "src"]
    if mailboxes:
        body = {"inputs": [{"name": "m"}, {"name": "many"}], "outputs": ["total"],
                "nodes": [{"op": "ReduceSum", "inputs": ["m", "one"], "outputs": ["total"], "attributes": {"keepdims": 0}}]}
        nodes = [{"op": "message", "inputs": summed, "outputs": ["m0"]},
                 {"op": "Constant", "outputs": ["one"], "attributes": {"value_ints": [1]}},
                 {"op": "reduce_mailboxes", "inputs": ["m0"], "outputs": ["y"], "attributes": {"reduce": {"graph": body}}}]
    else:
        nodes = [{"op": "sum", "inputs": [*summed, "dst"], "outputs": ["y"]}]
    write_model(name, graph=case.graph(), operators=OPERATORS,
                inputs=[{"name": "x", "type": "f32", "shape": ["nodes", 2]}, {"name": "a", "type": "f32", "shape": ["edges", 2]},
                        {"name": "c", "type": "i64", "shape": ["edges"]}],
                parameters=[{"name": "p", "type": "f32", "shape": [2], "values": [float(v) for v in case.p]}],
                nodes=[*nodes, {"op": "own", "inputs": ["v", "a", "x", "src"], "outputs": ["s"]}],
                outputs=["y", {"name": "s", "type": "f32", "shape": ["edges"]}])


def run_case(random, case, gpus, mode):
    y, s, edges = case.expected()
    write_case("case.json", case, mode in ("mailboxes", "room"))
    graphs = [word for file in case.files for word in ("--graph", file)]
    steps = int(random.integers(1, 3))
    inputs = []
    for name in "xac":
        value = getattr(case, name)
        if steps > 1 and random.random() < 0.5:  # another batch in each step; the last one counts
            value = np.stack([value * 0, value])
        np.save(name + ".npy", value)
        inputs += ["--input", f"{name}={name}.npy"]
    compiled = [SMEXC, "case.json", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan"]
    if mode == "open":
        more = int(random.integers(0, 3))
        compiled += ["--dim", f"nodes={case.nodes + more}", "--dim", f"edges={edges + int(random.integers(0, 5))}"]
    else:
        compiled += [*graphs, *(["--graph-room", "0.5"] if mode == "room" else [])]
    command(*compiled)
    command(SMEXC, "check", "plan")
    command(RUN, "plan", *(graphs if mode in ("open", "room") else []), *inputs, "--steps", steps, "--output-dir", "out",
            "--verify")
    compare(np.load("out/y.npy")[:case.nodes], y, "a row per node")
    compare(np.load("out/s.npy"), s, "a row per edge")


def main(seed, trials):
    print(f"seed {seed}")
    example()
    messages()
    random = np.random.default_rng(seed)
    for trial in range(trials):
        case = Case(random)
        for mode in ("closed", "open", "mailboxes", "room"):
            gpus = 1 + (trial + len(mode)) % 4
            if mode in ("mailboxes", "room") and (trial % 3 or not case.edges):
                continue
            try:
                run_case(random, case, gpus, mode)
            except AssertionError:
                print(f"trial {trial}, {mode}, {gpus} workers: {vars(case)}")
                raise


if __name__ == "__main__":
    SMEXC, RUN = (os.path.abspath(program) for program in sys.argv[1:3])
    os.chdir(os.environ.get("TEST_TMPDIR", "/tmp/edges"))
    main(*(int(word) for word in (sys.argv[3:] + ["1", "12"][len(sys.argv) - 3:])[:2]))
