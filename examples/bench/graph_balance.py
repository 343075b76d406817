#!/usr/bin/env python3
"""How evenly real plans keep their workers busy: the slowest worker over the mean one, as smex-run measures them, for each
way to divide a graph's vertices, and for Roc's fitted model after 1, 5 and 20 iterations, on R-MAT graphs ordered by
degree and by community, and on graphs that the model has not seen.

graph_partition.cpp has the same of plain loops. Here the layers are a plan's, workers compute one at a time where there are
fewer cores, and moves are those of `smex-run --rebalance-every`: each iteration compiles again by the model. Only python3's
own library is needed.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def rmat(vertices, edges, skew, seed):
    """Edges of an R-MAT graph, whose halves, quarters and so on are communities; `vertices` is a power of 2."""
    draw = random.Random(seed).random
    bits = vertices.bit_length() - 1
    both = 0.75 * skew
    one = skew - both
    ends = []
    for _ in range(edges):
        u = v = 0
        for _ in range(bits):
            x = draw()
            u += u + (x >= both + one)
            v += v + (both <= x < both + one or x >= both + 2 * one)
        ends.append((u, v))
    return ends


def by_degree(vertices, edges):
    """Vertices with the most in-edges first."""
    degree = [0] * vertices
    for _, v in edges:
        degree[v] += 1
    place = {v: i for i, v in enumerate(sorted(range(vertices), key=lambda v: -degree[v]))}
    return [(place[u], place[v]) for u, v in edges]


def write(path, vertices, edges):
    with open(path, "w") as file:
        file.write("".join(f"{u} {v}\n" for u, v in edges))
        file.write(f"{vertices - 1} {vertices - 1}\n")  # so that the last vertex is one


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        # Of attention with one head the search cuts vertices; of other networks it often cuts features.
        self.model = "gat.json"
        self.run("smex-zoo", "gat", "--layers", "2", "--heads", "1", "--features", "64", "--hidden", "32", "--classes", "16",
                 "-o", self.model)

    def run(self, program, *words):
        path = os.path.join(self.arguments.bin, "tools", program)
        done = subprocess.run([path, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{program} {' '.join(words)}: {done.stderr}")

    def compile(self, graph, by):
        self.run("smexc", self.model, "--graph", graph, "--gpus", str(self.arguments.workers), "--graph-partition", by,
                 "--cuda-arch", "none", "-o", "plan")

    def measure(self, model, steps):
        """The plan's balance; the first step warms up, and the others are fitted."""
        self.run("smex-run", "plan", "--steps", str(steps + 1), "--cost-model", model, "--metrics", "metrics.json")
        with open("metrics.json") as file:
            return json.load(file)["balance"]

    def fixed(self, graph, by):
        self.compile(graph, by)
        measured = self.measure("unused.json", self.arguments.steps)["measured"]
        os.remove("unused.json")
        return measured

    def learned(self, graph, model):
        """The balance in each iteration, of which the first one is of equal edges, and what was predicted for the last."""
        self.compile(graph, "equal-edges")
        course = []
        predicted = None
        for _ in range(20):
            course.append(self.measure(model, 1)["measured"])
            self.compile(graph, model)
            if len(course) == 19:
                predicted = self.predict(model)
        return course, predicted

    def predict(self, model):
        """Of the plan that has just been compiled, by the model as it was then, and one timing more."""
        shutil.copy(model, "copy.json")
        predicted = self.measure("copy.json", 1)["predicted"]
        os.remove("copy.json")
        return predicted


FIXED = ["equal-vertices", "equal-edges", "greedy-edge-cap"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../bazel-bin"), help="what is built (default: bazel-bin)")
    parser.add_argument("--vertices", type=int, default=1 << 14, help="a power of 2; default: %(default)s")
    parser.add_argument("--edges", type=int, default=400000, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=8, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=5, help="that a fixed partition is measured in; default: %(default)s")
    arguments = parser.parse_args()
    arguments.bin = os.path.abspath(arguments.bin)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bench = Bench(arguments)
        size = arguments.vertices
        first = rmat(size, arguments.edges, 0.7, 1)
        other = rmat(size, arguments.edges, 0.7, 2)
        skewed = rmat(2 * size, arguments.edges, 0.76, 3)
        graphs = {
            "community": (size, first),
            "degree": (size, by_degree(size, first)),
            "another seed, community": (size, other),
            "another seed, degree": (size, by_degree(size, other)),
            "skewed, community": (2 * size, skewed),
            "skewed, degree": (2 * size, by_degree(2 * size, skewed)),
        }
        for name, (vertices, edges) in graphs.items():
            write(name + ".txt", vertices, edges)
        print(f"R-MAT, {size} vertices, {arguments.edges} edges, {arguments.workers} workers\n")
        print("| order |", " | ".join(FIXED), "| roc: iteration 1 | 5 | 20 | predicted for 20 |")
        print("|" + "---|" * (len(FIXED) + 5))
        for name in ("degree", "community"):
            cells = [bench.fixed(name + ".txt", by) for by in FIXED]
            course, predicted = bench.learned(name + ".txt", name + ".json")
            cells += [course[0], course[4], course[19], predicted]
            print(f"| {name} |", " | ".join(f"{cell:.3f}" for cell in cells), "|", flush=True)
        print("\n| unseen graph, fitted to |", " | ".join(FIXED), "| roc |")
        print("|" + "---|" * (len(FIXED) + 2))
        for name in list(graphs)[2:]:
            model = name.rsplit(" ", 1)[1] + ".json"
            cells = [bench.fixed(name + ".txt", by) for by in FIXED] + [bench.fixed(name + ".txt", model)]
            print(f"| {name}, {model[:-5]} |", " | ".join(f"{cell:.3f}" for cell in cells), "|", flush=True)


if __name__ == "__main__":
    main()
