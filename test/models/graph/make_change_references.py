#!/usr/bin/env python3
"""Makes the references in test/models/graph of networks that choose what they compute, change their graphs, or see all
messages of a node at once, in plain PyTorch: one node, edge or graph at a time, as many of them as there are, on the graphs
that make_references.py has made there. Run with PyTorch and NumPy (nothing of the tests needs them).

usage: test/models/graph/make_change_references.py FOLDER
"""

import os
import sys

import numpy as np
import torch
from torch_geometric.nn import EdgePooling, TopKPooling

from make_edge_references import read_matrix
from make_references import (CLASSES, FEATURES, HIDDEN, NODES, SIZES, affine, dense, make_reference, mean_at)

SEEDS = {"grow": 7, "contract": 9, "top-k": 7, "all": 10}  # for which all parameters count
TOP = 3  # messages that sort and top-k keep


def attend(p, name, queries, messages):
    scores = (queries @ p[name + "/query/weight"]) @ (messages @ p[name + "/key/weight"]).T
    return queries + torch.softmax(scores / HIDDEN ** 0.5, -1) @ (messages @ p[name + "/value/weight"])


def reduce_one(kind, p, name, messages):
    """One node's messages, in the order of their sources."""
    if kind == "median":
        return messages.median(0).values if len(messages) else torch.zeros(HIDDEN)
    if kind == "sort":
        rows = messages[torch.sort(messages[:, -1], descending=True, stable=True).indices[:TOP]]
        rows = torch.cat([rows, torch.zeros(TOP - len(rows), HIDDEN)])
        return affine(p, name + "/joined", rows.flatten())
    if kind == "top-k":
        gate = torch.tanh(messages @ p[name + "/score/weight"])
        best = torch.sort(gate, descending=True, stable=True).indices[:TOP]
        return (messages * gate[:, None])[best].sum(0)
    rows = attend(p, name + "/block", messages, messages)
    rows = rows + torch.relu(affine(p, name + "/rows", rows))
    return attend(p, name + "/pooling", p[name + "/seed"][0], rows)[0]


def sage_mailbox(kind, p, x, src, dst):
    edges = sorted(zip(dst.tolist(), src.tolist()))
    for layer in range(2):
        name = f"layer{layer}"
        sent = torch.tanh(affine(p, name + "/sent", x))
        read = torch.stack([reduce_one(kind, p, name + "/reducer", sent[[s for d, s in edges if d == v]])
                            for v in range(NODES)])
        x = affine(p, name + "/own", x) + read @ p[name + "/neighbours/weight"]
        if layer == 0:
            x = torch.relu(x)
    return x


def explore(p, x, src, dst):
    """Only nodes of a set compute, as DGL's push and pull have it."""
    def update(name, x, nodes, src, dst):
        own = affine(p, name + "/own", x[nodes])
        heard = mean_at(x[src], dst)[nodes] @ p[name + "/others/weight"]
        return x.index_copy(0, nodes, torch.tanh(own + heard))

    x = torch.tanh(affine(p, "encoder", x))
    active = x @ p["interest"] > 0
    reached = active
    for layer in range(2):
        pushed = active[src]
        receivers = torch.unique(dst[pushed])
        x = update(f"layer{layer}", x, receivers, src[pushed], dst[pushed])
        received = torch.zeros(NODES, dtype=torch.bool).index_fill(0, receivers, True)
        reached = reached | received
        active = received & (x @ p["interest"] > 0)
    pulled = ~reached[dst]
    x = update("ask", x, torch.nonzero(~reached)[:, 0], src[pulled], dst[pulled])
    return affine(p, "decoder", x)


def grow(p, name, x, edges):
    made = torch.tanh(affine(p, name + "/node", x.mean(0)))
    suits = x @ made
    best = int(torch.argmax(suits))
    if suits[best] <= 0:
        return x, edges
    return torch.cat([x, made[None]]), [*edges, (best, len(x)), (len(x), best)]


noise = 0  # on scores of edges


def contract(p, name, x, edges):
    """As PyTorch Geometric does it; nodes are numbered by the first one that each is made of, and edges stay in their order."""
    layer = EdgePooling(x.shape[1])
    layer.lin.weight = torch.nn.Parameter(torch.zeros(1))  # what is trained is in p
    layer.lin.forward = lambda ends: ends @ torch.cat([p[name + "/source/weight"], p[name + "/destination/weight"]])[:, None] \
        + p[name + "/bias"] + noise * torch.randn(len(ends), 1)
    rows, _, _, info = layer(x, ends_of(edges), torch.zeros(len(x), dtype=torch.int64))
    group = info.cluster.tolist()
    order = list(dict.fromkeys(group))
    place = [order.index(g) for g in group]
    return rows[order], list(dict.fromkeys((place[s], place[d]) for s, d in edges))


def pool_top(p, name, x, edges):
    """As PyTorch Geometric does it; nodes that are left stay in their order."""
    layer = TopKPooling(x.shape[1])
    del layer.select.weight
    layer.select.weight = p[name + "/weight"][None]
    rows, _, _, _, nodes, _ = layer(x, ends_of(edges))
    nodes, order = (each.tolist() for each in torch.sort(nodes))
    return rows[order], [(nodes.index(s), nodes.index(d)) for s, d in edges if s in nodes and d in nodes]


def ends_of(edges):
    return torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T


def changing(change, p, x, graphs):
    """One graph at a time, of as many nodes and edges as it has."""
    def convolve(name, x, edges):
        heard = torch.zeros(len(x), HIDDEN)
        if edges:
            src, dst = (torch.tensor(ends) for ends in zip(*edges))
            n = torch.zeros(len(x)).index_add(0, dst, torch.ones(len(dst))).clamp(min=1)
            heard = heard.index_add(0, dst, (x @ p[name + "/neighbours/weight"])[src]) / n[:, None]
        return torch.relu(affine(p, name + "/own", x) + heard)

    results = []
    for rows, edges in zip(torch.split(x, SIZES), graphs):
        for layer in range(2):
            for what, apply in (("grow", grow), ("contract", contract), ("top-k", pool_top)):
                if change in (what, "all"):
                    rows = convolve(f"layer{layer}/{what}/convolution", rows, edges)
                    rows, edges = apply(p, f"layer{layer}/{what}", rows, edges)
        results.append(affine(p, "classifier", convolve("last", rows, edges).mean(0)))
    return torch.stack(results)


def shapes_of_changing(change):
    width, result = FEATURES, {}
    for layer in range(2):
        for what in ("grow", "contract", "top-k"):
            if change not in (what, "all"):
                continue
            name = f"layer{layer}/{what}"
            result.update({**dense(name + "/convolution/own", width, HIDDEN),
                           **dense(name + "/convolution/neighbours", width, HIDDEN, bias=False)})
            width = HIDDEN
            result.update({"grow": dense(name + "/node", HIDDEN, HIDDEN), "top-k": {name + "/weight": (HIDDEN,)},
                           "contract": {name + "/bias": (), **{name + f"/{end}/weight": (HIDDEN,) for end in ("source", "destination")}}}[what])
    return {**result, **dense("last/own", HIDDEN, HIDDEN), **dense("last/neighbours", HIDDEN, HIDDEN, bias=False),
            **dense("classifier", HIDDEN, CLASSES)}


def shapes_of_mailbox(kind):
    result = {}
    for name, inner, outer in (("layer0", FEATURES, HIDDEN), ("layer1", HIDDEN, CLASSES)):
        reducer = name + "/reducer"
        result.update({**dense(name + "/own", inner, outer), **dense(name + "/sent", inner, HIDDEN),
                       **dense(name + "/neighbours", HIDDEN, outer, bias=False)})
        result.update({"median": {}, "sort": dense(reducer + "/joined", TOP * HIDDEN, HIDDEN),
                       "top-k": {reducer + "/score/weight": (HIDDEN,)},
                       "set-transformer": {
                           **{reducer + f"/{part}/{each}/weight": (HIDDEN, HIDDEN)
                              for part in ("block", "pooling") for each in ("query", "key", "value")},
                           **dense(reducer + "/rows", HIDDEN, HIDDEN), reducer + "/seed": (1, 1, HIDDEN)}}[kind])
    return result


def shapes_of_explore():
    layers = [{**dense(name + "/own", HIDDEN, HIDDEN), **dense(name + "/others", HIDDEN, HIDDEN, bias=False)}
              for name in ("layer0", "layer1", "ask")]
    return {**dense("encoder", FEATURES, HIDDEN), "interest": (HIDDEN,), **layers[0], **layers[1], **layers[2],
            **dense("decoder", HIDDEN, CLASSES)}


def main(folder):
    path = lambda name: os.path.join(folder, name)
    x, y = torch.tensor(np.load(path("features.npy"))), torch.tensor(np.load(path("labels.npy")))
    edges = read_matrix(path("edges.mtx"))[:2]
    of_graphs = torch.tensor(np.load(path("graph_labels.npy")))
    graphs = [list(zip(*(ends.tolist() for ends in read_matrix(path(f"batch/{graph}.mtx"))[:2])))
              for graph in range(len(SIZES))]
    random = np.random.default_rng(6)
    draw = lambda *shape: torch.tensor(random.uniform(-0.5, 0.5, shape), dtype=torch.float32)
    make_reference(folder, "explore", lambda p: explore(p, x, *edges),
                   {key: draw(*shape) for key, shape in shapes_of_explore().items()}, y)
    for kind in ("median", "sort", "top-k", "set-transformer"):
        p = {key: draw(*shape) for key, shape in shapes_of_mailbox(kind).items()}
        make_reference(folder, "sage-mailbox-" + kind, lambda p, kind=kind: sage_mailbox(kind, p, x, *edges), p, y)
    for change in ("grow", "contract", "top-k", "all"):
        random = np.random.default_rng(SEEDS[change])
        p = {key: draw(*shape) for key, shape in shapes_of_changing(change).items()}
        network = lambda p, change=change: changing(change, p, x, graphs)
        check_rounding(network, p)
        make_reference(folder, "changing-" + change, network, p, of_graphs)


def check_rounding(network, p):
    """Edges that lead to nodes with the same neighbours have the same scores but for rounding, and which of them is first must
    not matter."""
    global noise
    wanted = network(p)
    for seed in range(8):
        noise = 1e-5
        torch.manual_seed(seed)
        assert torch.allclose(network(p), wanted, atol=1e-3), "which edges are contracted depends on rounding"
        noise = 0


if __name__ == "__main__":
    main(sys.argv[1])
