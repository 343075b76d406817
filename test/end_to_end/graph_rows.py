#!/usr/bin/env python3
"""Where a graph is partitioned, workers fetch what they read of others, each element once and no other, of one type of
nodes or several. Each lambda of the plan is evaluated here at each point of
each worker's indices, and what it reads is written down; the lists of the graph are made of its file here, too.

usage: graph_rows.py SMEX_ZOO SMEXC
"""

import itertools
import json
import os
import re
import subprocess
import sys

import numpy as np

NODES, EDGES = 24, 50
REDUCTION = re.compile(r"(?:Sum|Max)\(lambda ([^:]*): (.*)\)")


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"
    return done.stdout


class Operand:
    """Writes down what is read of it."""

    def __init__(self, values):
        self.values, self.read = values, set()

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        self.read.add(index)
        return 1.0 if self.values is None else int(self.values[index])


def lists_of(name, sources, destinations, loops):
    """A graph's lists, by their names in a plan: edges by where they lead, then by where they come from."""
    edges = sorted(zip(destinations, sources))
    if loops:
        edges += [(v, v) for v in range(NODES) if (v, v) not in edges]
        edges.sort()
    counts = np.bincount([v for v, _ in edges], minlength=NODES)
    return {f"{name}destinations.offsets": np.concatenate([[0], np.cumsum(counts)]),
            f"{name}sources.by.{name}destinations": np.array([u for _, u in edges])}


def reads_of(text, indices, values):
    """Per operand, what the lambda reads at all points of the box."""
    signature, body = text.split(": lambda", 1)
    count = signature.split("->")[0].count(":")
    names, body = body.split(":", 1)
    body = body.strip()
    variables = [name.strip() for name in names.split(",") if name.strip()]
    reduction = REDUCTION.fullmatch(body)
    guard = "True"
    if reduction:
        variables += [name.strip() for name in reduction[1].split(",")]
        body, _, guard = reduction[2].partition(" where ")
    operands = [Operand(values[k]) for k in range(count)]
    scope = {f"x{k}": operand for k, operand in enumerate(operands)}
    scope.update({name: lambda x: x for name in ("sqrt", "exp", "log", "tanh")}, i64=int, f32=float)
    # A kernel may work out all conditions, whatever the first ones say.
    conditions = [compile(each, "guard", "eval") for each in (guard or "True").split(" and ")]
    body = compile(body, "body", "eval")
    for point in itertools.product(*(range(*side) for side in indices)):
        scope.update(zip(variables, point))
        if all([eval(each, scope) for each in conditions]):  # pylint: disable=eval-used
            eval(body, scope)  # pylint: disable=eval-used
    return [operand.read for operand in operands]


def points(box):
    return itertools.product(*(range(*side) for side in box))


def check(smexc, plan, lists, what):
    program = json.load(open(f"{plan}/program.json", encoding="utf-8"))
    workers = json.loads(command(smexc, "inspect", plan, "--json"))
    instructions, buffers, tensors = program["instructions"], program["buffers"], program["tensors"]
    received, with_rows, by_box = 0, 0, 0
    for w, worker in enumerate(workers):
        read = {}  # by buffer
        for number, each in enumerate(instructions):
            if each["op"] != "compute" or "indices" not in worker["instructions"][number]:
                continue
            values = [lists.get(tensors[buffers[b]["tensor"]]["name"]) for b in each["operands"]]
            reads = reads_of(program["kernels"][each["kernel"]]["lambda"], worker["instructions"][number]["indices"],
                             values)
            for buffer, points_read in zip(each["operands"], reads):
                read.setdefault(buffer, set()).update(points_read)
        for number, each in enumerate(instructions):
            assert each["op"] in ("fetch", "compute"), f"{what}: {each['op']} is not counted here"
            if each["op"] != "fetch":
                continue
            fetched = [point for piece in worker["instructions"][number].get("pieces", []) if piece["worker"] != w
                       for point in points(piece["box"])]
            tensor = tensors[buffers[each["to"]]["tensor"]]
            size = {"f32": 4, "i32": 4, "i64": 8}[tensor["dtype"]]
            received += size * len(fetched)
            if "instruction" not in program["regions"][buffers[each["to"]]["region"]]:
                continue  # a result goes to where it is kept
            own_box = worker["buffers"][each["from"]].get("box")
            own = set(points(own_box)) if own_box else set()
            needed = read.get(each["to"], set()) - own
            assert len(fetched) == len(set(fetched)), f"{what}, worker {w}: {tensor['name']} is fetched twice"
            assert set(fetched) == needed, \
                f"{what}, worker {w}: of {tensor['name']}, {len(fetched)} elements are fetched and {len(needed)} needed"
            with_rows += "rows" in each
            if tensor["dtype"] == "f32" and tensor["shape"][0] == NODES and "rows" in each:
                box = worker["buffers"][each["to"]]["box"]
                by_box += len(set(points(box)) - own) > len(fetched)
    total = json.load(open(f"{plan}/plan.json", encoding="utf-8"))["totals"]["communication_bytes"]
    assert received == total, f"{what}: {total} bytes are told, and {received} counted"
    return with_rows, by_box


def main():
    zoo, smexc = (os.path.abspath(word) for word in sys.argv[1:3])
    os.chdir(os.environ.get("TEST_TMPDIR", "."))
    random = np.random.default_rng(7)
    relations = {"rates": None, "rated_by": None, "follows": None}
    for name in ["", *relations]:
        sources = random.integers(0, NODES, EDGES)
        # More lead to low numbers, as where ranges are not alike.
        destinations = random.integers(0, NODES, EDGES) * random.integers(0, NODES, EDGES) // NODES
        sources[-1] = destinations[-1] = NODES - 1
        np.savetxt(f"{name or 'edges'}.txt", np.stack([sources, destinations], 1), fmt="%d")
        relations[name] = (sources, destinations)
    hetero = [word for name in ("rates", "rated_by", "follows") for word in ("--graph", f"{name}={name}.txt")]
    networks = {"gcn": (["--features", 6], ["--graph", "edges.txt"]),
                "sage": (["--features", 6], ["--graph", "edges.txt"]),
                "commnet": (["--features", 6], ["--graph", "edges.txt"]),
                "hetero-sage": (["--features", 6, "--item-features", 5], hetero)}
    rows, boxes = 0, 0
    for network, (sizes, graphs) in networks.items():
        command(zoo, network, *sizes, "--hidden", 4, "--classes", 3, "-o", f"{network}.json")
        lists = {}
        for name in ("rates", "rated_by", "follows") if network == "hetero-sage" else ("",):
            lists.update(lists_of(f"{name}/" if name else "", *relations[name], network == "gcn"))
        for gpus, by in itertools.product((3, 4), ("equal-vertices", "equal-edges")):
            command(smexc, f"{network}.json", *graphs, "--gpus", gpus, "--cuda-arch", "none", "--graph-partition", by,
                    "-o", "plan")
            more = check(smexc, "plan", lists, f"{network} on {gpus} by {by}")
            rows, boxes = rows + more[0], boxes + more[1]
    assert rows > 0 and boxes > 0, f"{rows} fetches of rows, {boxes} of fewer than a box"
    print(f"{rows} fetches of rows, {boxes} of them of fewer nodes than a box has")


main()
