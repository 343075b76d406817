#!/usr/bin/env python3
"""Where a graph is partitioned, no worker gets a row of a tensor twice, also not by two fetches of the tensor, in
inference and in training.

Readers of a tensor whose lists of rows overlap share a fetch, and so do those of plain boxes that overlap and make one box.
What is fetched again is of plain boxes that make none, or of lists whose boxes differ in more than their rows. It is found
here that this is the only reason: of two fetches, no one has on every worker all that the other one has, and where one is of
a list of rows, and boxes differ in rows alone, or both are of plain boxes that make one, they share nothing. And how much the
rest is, is bounded.

usage: graph_fetches.py SMEX_ZOO SMEXC
"""

import itertools
import json
import os
import random
import subprocess
import sys

NODES, EDGES = 24, 50
RELATIONS = ("rates", "rated_by", "follows")
TRAIN = "--train --loss cross_entropy --ignore-index -1 --optimizer sgd --lr 0.01".split()
ONE, HETERO = ["--graph", "edges.txt"], [word for name in RELATIONS for word in ("--graph", f"{name}={name}.txt")]
NEVER = {  # network: (its sizes, its graphs)
    "commnet": ([], ONE),
    "gat": ([], ONE),
    "gcn": ([], ONE),
    "gin": (["--readout", "sum"], [*ONE, "--graph", "rates.txt"]),
    "hetero-sage": (["--item-features", 5], HETERO),
    "nnconv": (["--edge-features", 3, "--edge-hidden", 3], ONE),
    "sage": ([], ONE),
}
SELDOM = {
    "explore": ([], ONE),
    "hetero-transformer": (["--item-features", 5], HETERO),
    "rgcn": ([], ["--graph", "typed.txt"]),
}
MOST = 0.03  # of all elements that are fetched, those that are fetched again


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def write_graphs():
    draw = random.Random(7)
    for name in ("edges", "typed", *RELATIONS):
        # More lead to low numbers, as where ranges are not alike.
        edges = [(draw.randrange(NODES), draw.randrange(NODES) * draw.randrange(NODES) // NODES) for _ in range(EDGES - 1)]
        edges.append((NODES - 1, NODES - 1))
        with open(f"{name}.txt", "w", encoding="utf-8") as file:
            for edge in edges:
                print(*edge, *([draw.randrange(3)] if name == "typed" else []), file=file)


def points(box):
    return set(itertools.product(*(range(*side) for side in box)))


def make_one_box(one, other):
    """Whether no point of the box around two boxes, or none, is in neither."""
    if one is None or other is None:
        return True
    around = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other)]
    return points(around) == points(one) | points(other)


class Fetch:
    """What each worker gets by an instruction, and what of it comes from another worker."""

    def __init__(self, number, instruction, for_readers, workers):
        self.number, self.for_readers = number, for_readers
        self.is_list = "rows" in instruction
        self.gets, self.received, self.boxes, self.sides = [], [], [], []
        for w, worker in enumerate(workers):
            pieces = worker["instructions"][number].get("pieces", [])
            self.gets.append(set().union(*(points(piece["box"]) for piece in pieces)))
            self.received.append(set().union(*(points(piece["box"]) for piece in pieces if piece["worker"] != w)))
            box = worker["buffers"][instruction["to"]].get("box")
            self.boxes.append(points(box or [[0, 0]]))
            self.sides.append(box)

    def serves(self, other):
        return all(mine >= others for mine, others in zip(self.gets + self.boxes, other.gets + other.boxes))

    def can_be_one_with(self, other):
        if self.is_list or other.is_list:
            return all(mine is None or others is None or mine[1:] == others[1:] for mine, others in zip(self.sides, other.sides))
        return all(map(make_one_box, self.sides, other.sides))


def fetches_of(plan, smexc):
    """By tensor, its fetches; of those that bring a result to where it is kept, too."""
    with open(f"{plan}/program.json", encoding="utf-8") as file:
        program = json.load(file)
    workers = json.loads(command(smexc, "inspect", plan, "--json"))
    buffers, found = program["buffers"], {}
    for number, each in enumerate(program["instructions"]):
        if each["op"] == "fetch":
            name = program["tensors"][buffers[each["from"]]["tensor"]]["name"]
            # What has no instruction's region is where a result is kept.
            for_readers = "instruction" in program["regions"][buffers[each["to"]]["region"]]
            fetch = Fetch(number, each, for_readers, workers)
            if any(fetch.received):
                found.setdefault(name, []).append(fetch)
    return found, len(workers)


def check(smexc, what):
    """(Elements that are fetched, those of them that the same worker has fetched before.)"""
    found, workers = fetches_of("plan", smexc)
    total = again = 0
    for name, fetches in found.items():
        for w in range(workers):
            count = sum(len(fetch.received[w]) for fetch in fetches)
            total += count
            again += count - len(set().union(*(fetch.received[w] for fetch in fetches)))
        of_readers = [fetch for fetch in fetches if fetch.for_readers]
        for one, other in itertools.permutations(of_readers, 2):
            assert not one.serves(other), \
                f"{what}: {name} is fetched by {other.number}, and {one.number} has on every worker all that this has"
            if one.can_be_one_with(other):
                for w in range(workers):
                    twice = one.received[w] & other.received[w]
                    assert not twice, f"{what}: worker {w} gets {sorted(twice)} of {name} by {one.number} and by {other.number}"
    assert total > 0, f"{what}: nothing is fetched"
    return total, again


def check_limit(smexc, *model):
    """Where one buffer for several readers takes more memory than there is, each has its own, and what they share moves again."""
    def totals(*options):
        command(smexc, *model, "--cuda-arch", "none", "--algorithm", "recursive", *options, "-o", "plan")
        with open("plan/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        assert plan["search"]["algorithm"] == "recursive", plan["search"]
        return plan["totals"]
    joined = totals()
    limit = max(joined["peak_bytes"]) - 1
    apart = totals("--memory-per-gpu", limit)
    assert max(apart["peak_bytes"]) <= limit
    assert joined["communication_bytes"] < apart["communication_bytes"] < 1.1 * joined["communication_bytes"]
    command(smexc, "check", "plan")


def main():
    zoo, smexc = (os.path.abspath(word) for word in sys.argv[1:3])
    os.chdir(os.environ.get("TEST_TMPDIR", "."))
    write_graphs()
    for network, (sizes, graphs) in {**NEVER, **SELDOM}.items():
        command(zoo, network, "--features", 6, "--hidden", 4, "--classes", 3, *sizes, "-o", f"{network}.json")
        for gpus, options in ((3, TRAIN), (4, [])) if network in NEVER else itertools.product((2, 3, 4, 8), ([], TRAIN)):
            what = f"{network} on {gpus}{', trained' if options else ''}"
            command(smexc, f"{network}.json", *graphs, "--gpus", gpus, "--cuda-arch", "none", "--graph-partition", "equal-edges",
                    *options, "-o", "plan")
            total, again = check(smexc, what)
            print(f"{what}: of {total} elements, {again} again", flush=True)
            if network in NEVER:
                assert again == 0, f"{what}: {again} of {total} elements are fetched again"
            assert again <= MOST * total, f"{what}: {again} of {total} elements are fetched again"
    check_limit(smexc, "rgcn.json", "--graph", "typed.txt", "--gpus", 4, "--graph-partition", "equal-edges", *TRAIN)
    # Of plain boxes, too, in a model without a graph.
    command(zoo, *"e3d --layers 1 --steps 3 --batch 4 --hidden 8 -o e3d.json".split())
    check_limit(smexc, "e3d.json", "--gpus", 8, *"--train --loss mse --optimizer sgd --lr 0.01".split())


main()
