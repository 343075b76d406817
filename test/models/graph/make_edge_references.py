#!/usr/bin/env python3
"""Makes the references in test/models/graph whose edges have features of their own, in plain PyTorch, on the graphs that
make_references.py has made there. Run with PyTorch and NumPy (nothing of the tests needs them).

usage: test/models/graph/make_edge_references.py FOLDER
"""

import os
import sys

import numpy as np
import torch

from make_references import (BETWEEN, CLASSES, FEATURES, HEADS, HIDDEN, ITEM_FEATURES, NODES, affine, dense, make_reference,
                             sum_at)

EDGE_FEATURES, EDGE_HIDDEN = 5, 6


def read_matrix(path):
    """Ends and values of the edges of a Matrix Market file, in its order."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("%")][1:]
    return (*(torch.tensor([int(line[end]) - 1 for line in lines]) for end in (0, 1)),
            [float(line[2]) for line in lines if len(line) > 2])


def weighted_gcn(p, x, weights, src, dst):
    """Kipf and Welling with weights; a node without a self-loop gets one that counts for 1."""
    loops = torch.tensor([v for v in range(NODES) if not ((src == dst) & (src == v)).any()])
    src, dst = torch.cat([src, loops]), torch.cat([dst, loops])
    weights = torch.cat([weights, torch.ones(len(loops))])
    n = sum_at(weights, dst) ** -0.5
    for layer in range(2):
        x = x @ p[f"layer{layer}/weight"]
        x = sum_at((n[src] * weights * n[dst])[:, None] * x[src], dst) + p[f"layer{layer}/bias"]
        if layer == 0:
            x = torch.relu(x)
    return x


def nnconv(p, x, features, src, dst):
    for layer, outer in enumerate((HIDDEN, CLASSES)):
        w = affine(p, f"layer{layer}/edges/second", torch.relu(affine(p, f"layer{layer}/edges/first", features)))
        read = torch.einsum("ei,eio->eo", x[src], w.view(-1, x.shape[1], outer))
        x = affine(p, f"layer{layer}/own", x) + sum_at(read, dst)
        if layer == 0:
            x = torch.relu(x)
    return x


def attention(p, name, to, source, features, src, dst, heads):
    """What nodes read along their edges, one node and one head at a time."""
    q, k, v = affine(p, name + "/query", to), affine(p, name + "/key", source), affine(p, name + "/value", source)
    u = features @ p[name + "/edge/weight"]
    each = q.shape[1] // heads
    rows = []
    for node in range(len(to)):
        edges = torch.nonzero(dst == node)[:, 0]
        parts = []
        for head in range(heads):
            of = slice(head * each, (head + 1) * each)
            if len(edges) == 0:
                parts.append(torch.zeros(each))
                continue
            keys, values = (k[src[edges]] + u[edges])[:, of], (v[src[edges]] + u[edges])[:, of]
            parts.append(torch.softmax(keys @ q[node, of] / each ** 0.5, 0) @ values)
        rows.append(torch.cat(parts))
    return torch.stack(rows)


def graph_transformer(p, x, features, src, dst):
    for layer in range(2):
        y = affine(p, f"layer{layer}/own", x)
        y = y + attention(p, f"layer{layer}", x, x, features, src, dst, HEADS if layer == 0 else 1)
        x = torch.relu(y) if layer == 0 else y
    return x


def hetero_transformer(p, x, features, edges):
    for layer in range(2):
        y = {kind: affine(p, f"layer{layer}/{kind}/own", x[kind]) for kind in (x if layer == 0 else ["users"])}
        for relation, (source, destination) in BETWEEN.items():
            if destination in y:
                y[destination] = y[destination] + attention(p, f"layer{layer}/{relation}", x[destination], x[source],
                                                            features[relation], *edges[relation],
                                                            HEADS if layer == 0 else 1)
        x = {kind: torch.relu(value) for kind, value in y.items()} if layer == 0 else y
    return x["users"]


def attention_shapes(name, to, source, width):
    return {**dense(name + "/query", to, width), **dense(name + "/key", source, width), **dense(name + "/value", source, width),
            **dense(name + "/edge", EDGE_FEATURES, width, bias=False)}


def shapes(name):
    layers = [("layer0", FEATURES, HIDDEN), ("layer1", HIDDEN, CLASSES)]
    if name == "gcn-weights":
        return {key: shape for layer, inner, outer in layers
                for key, shape in ((layer + "/weight", (inner, outer)), (layer + "/bias", (outer,)))}
    made = {}
    if name == "nnconv":
        for layer, inner, outer in layers:
            made.update({**dense(layer + "/edges/first", EDGE_FEATURES, EDGE_HIDDEN),
                         **dense(layer + "/edges/second", EDGE_HIDDEN, inner * outer), **dense(layer + "/own", inner, outer)})
    elif name == "graph-transformer":
        for layer, inner, outer in (("layer0", FEATURES, HEADS * HIDDEN), ("layer1", HEADS * HIDDEN, CLASSES)):
            made.update({**attention_shapes(layer, inner, inner, outer), **dense(layer + "/own", inner, outer)})
    else:
        first = {"users": FEATURES, "items": ITEM_FEATURES}
        second = {"users": HEADS * HIDDEN, "items": HEADS * HIDDEN}
        for layer, inner, outer in (("layer0", first, HEADS * HIDDEN), ("layer1", second, CLASSES)):
            kinds = inner if layer == "layer0" else ["users"]
            for kind in kinds:
                made.update(dense(f"{layer}/{kind}/own", inner[kind], outer))
            for relation, (source, destination) in BETWEEN.items():
                if destination in kinds:
                    made.update(attention_shapes(f"{layer}/{relation}", inner[destination], inner[source], outer))
    return made


def main(folder):
    path = lambda name: os.path.join(folder, name)
    random = np.random.default_rng(6)
    draw = lambda *shape: torch.tensor(random.uniform(-0.5, 0.5, shape), dtype=torch.float32)
    src, dst, _ = read_matrix(path("edges.mtx"))
    weights = random.uniform(0.25, 2, len(src)).astype(np.float32)
    with open(path("weighted.mtx"), "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{NODES} {NODES} {len(src)}\n")
        file.writelines(f"{s + 1} {d + 1} {w!r}\n" for s, d, w in zip(src.tolist(), dst.tolist(), weights.tolist()))
    x, y = torch.tensor(np.load(path("features.npy"))), torch.tensor(np.load(path("labels.npy")))
    relations = {relation: read_matrix(path(relation + ".mtx"))[:2] for relation in BETWEEN}
    features = random.standard_normal((len(src), EDGE_FEATURES)).astype(np.float32)
    np.save(path("edge_features.npy"), features)
    of_relations = {}
    for relation, ends in relations.items():
        of_relations[relation] = torch.tensor(random.standard_normal((len(ends[0]), EDGE_FEATURES)), dtype=torch.float32)
        np.save(path(relation + "_features.npy"), of_relations[relation].numpy())
    both = {"users": x, "items": torch.tensor(np.load(path("items.npy")))}
    features = torch.tensor(features)
    for name, network in (("gcn-weights", lambda p: weighted_gcn(p, x, torch.tensor(weights), src, dst)),
                          ("nnconv", lambda p: nnconv(p, x, features, src, dst)),
                          ("graph-transformer", lambda p: graph_transformer(p, x, features, src, dst)),
                          ("hetero-transformer", lambda p: hetero_transformer(p, both, of_relations, relations))):
        make_reference(folder, name, network, {key: draw(*shape) for key, shape in shapes(name).items()}, y)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
