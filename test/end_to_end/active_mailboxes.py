#!/usr/bin/env python3
"""Reducers that see all messages of a node at once, of edges that the model chooses and of a graph that it has changed:
trained in plans made for the graph and evaluated in plans with room for others, against their definition in NumPy, whose
gradients are differences of losses; the last also evaluated in plans made for the graph and in such as know none. No edge
leads to the last node, all lead to node 0.

usage: active_mailboxes.py SMEXC SMEX_RUN
"""

import re
import sys

import numpy as np

from set_definitions import Close
from set_models import Case, Model, command

NODES, FEATURES = 6, 3
# What reduces the messages of an active set, and then those of a changed graph, of at most so many of a node.
MODELS = [("LSTM", "median", None), ("median", "top", 2), ("attention", "attention", None)]
KNOWN, ROOM, UNKNOWN = (["--graph", "edges.mtx"], ["--graph", "edges.mtx", "--graph-room", "0.2"],
                        ["--dim", "nodes=8", "--dim", "edges=13"])


def layer(model, reducer, x, src, ends, most):
    m = model.add("Tanh", model.add("rows_at", model.dense(x, FEATURES, FEATURES), src))
    return model.mailbox(reducer, m, ends, x, **({"width": most} if most else {}))


def draw(random, first, then, most):
    model = Model(random)
    active = model.add("chosen", model.dense("x", FEATURES, 2))
    x = layer(model, first, "x", "src", model.add("push_edges", "src", "dst", active), most)
    # Pairs of nodes become one, which may receive more than any node of the graph does.
    place = model.add("halves", x)
    x = model.add("Tanh", model.add("sum_messages", x, place, x))
    x = layer(model, then, x, *model.pair("rename_edges", "src", "dst", place), most)
    edges = [(s, 0) for s in range(NODES)] + [(int(s), int(d)) for s, d in random.integers(1, NODES - 1, size=(5, 2))]
    edges = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    given = {"x": random.normal(0, 1, (NODES, FEATURES)).astype(np.float32)}
    return Case(model, x, given, edges, random.normal(0, 1, (NODES, FEATURES)).astype(np.float32))


def widest(smexc, graph):
    """The widest bucket that the graph of nodes is instantiated for, of each mailbox."""
    text = command(smexc, "model.json", *graph, "--gpus", 1, "--emit", "semantic", "-o", "none")
    result = {}
    for mailbox, width in re.findall(r"reduce_mailboxes_at_(\d)/(\d+)/", text):
        result[mailbox] = max(result.get(mailbox, 0), int(width))
    return result


def main(smexc, run):
    random = np.random.default_rng(5)
    for reducers in MODELS:
        while True:
            try:
                case = draw(random, *reducers)
                break
            except Close:
                pass
        print(reducers, flush=True)
        case.write()
        case.compare_trained(smexc, run, reducers, 1, ("cpu", "reference"))
        case.compare_trained(smexc, run, reducers, 3)
        case.compare_evaluated(smexc, run, f"{reducers}, with room", ROOM, 2, at_run=True)
    # Active sets have the buckets of the graph, in which a node receives 6 messages; else one may receive all.
    assert widest(smexc, KNOWN) == {"0": 6, "1": 11}, widest(smexc, KNOWN)
    assert widest(smexc, UNKNOWN) == {"0": 13, "1": 13}, widest(smexc, UNKNOWN)
    for graph in (KNOWN, UNKNOWN):
        case.compare_evaluated(smexc, run, f"{reducers}, {graph}", graph, 2, at_run=graph != KNOWN)


main(*sys.argv[1:])
