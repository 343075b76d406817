#!/usr/bin/env python3
"""Reducers that see all messages of a node at once, of edges that the model chooses and of a graph that it has changed:
evaluated and trained, against their definition in NumPy, whose gradients are differences of losses. In plans made for the
graph, in plans with room for others, and in plans that know no graph. No edge leads to the last node, all lead to node 0.

usage: active_mailboxes.py SMEXC SMEX_RUN
"""

import sys

import numpy as np

from set_models import REDUCERS, Case, Close, Model

NODES, FEATURES = 8, 3
WIDTHS = {"attention": 3}


def layer(model, reducer, x, src, ends):
    m = model.add("Tanh", model.add("rows_at", model.dense(x, FEATURES, FEATURES), src))
    most = {"width": WIDTHS[reducer]} if reducer in WIDTHS else {}
    return model.mailbox(reducer, m, ends, x, **most)


def draw(random, reducer):
    model = Model(random)
    active = model.add("chosen", model.dense("x", FEATURES, 2))
    x = layer(model, reducer, "x", "src", model.add("push_edges", "src", "dst", active))
    # Pairs of nodes become one, which may receive more than any node of the graph does; then of two such edges one stays.
    place = model.add("halves", x)
    x = model.add("Tanh", model.add("sum_messages", x, place, x))
    ends = model.pair("rename_edges", "src", "dst", place)
    x = layer(model, reducer, x, *ends)
    x = layer(model, reducer, x, *model.pair("distinct_edges", *ends, x))
    output = model.dense(x, FEATURES, 2)
    edges = [(s, 0) for s in range(NODES)] + [(int(s), int(d)) for s, d in random.integers(1, NODES - 1, size=(9, 2))]
    edges = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    given = {"x": random.normal(0, 1, (NODES, FEATURES)).astype(np.float32)}
    return Case(model, output, given, edges, random.normal(0, 1, (NODES, 2)).astype(np.float32))


def main(smexc, run):
    random = np.random.default_rng(5)
    for reducer in REDUCERS:
        while True:
            try:
                case = draw(random, reducer)
                break
            except Close:
                pass
        print(reducer, flush=True)
        case.write()
        case.compare_trained(smexc, run, reducer, 1, ("cpu", "reference"))
        case.compare_trained(smexc, run, reducer, 3)
        for graph, at_run in ((["--graph", "edges.txt"], False), (["--graph", "edges.txt", "--graph-room", "0.3"], True),
                              (["--dim", "nodes=10", "--dim", "edges=20"], True)):
            case.compare_evaluated(smexc, run, f"{reducer}, {graph}", graph, 2, at_run=at_run)


main(*sys.argv[1:])
