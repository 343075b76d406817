#!/usr/bin/env python3
"""Makes test/models/graph: graph networks in plain PyTorch on a small graph with an isolated node, self-loops, parallel
edges (of several types) and a hub; five training steps each. Run with PyTorch and NumPy (nothing of the tests needs them).

usage: test/models/graph/make_references.py FOLDER
"""

import json
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/bench"))

from weights_file import write_safetensors  # noqa: E402

NODES, FEATURES, HIDDEN, CLASSES, HEADS, RELATIONS, WORDS = 30, 12, 8, 4, 3, 3, 20
ITEMS, ITEM_FEATURES = 17, 7
SIZES = [5, 1, 8, 3, 7, 6]  # nodes of each graph of a batch, NODES in all
# What a loss does not depend on: what only chooses nodes, and what all edges to a node have in common, by which a softmax
# over them does not change.
UNFELT = ("interest", "contract/destination/weight", "contract/bias")
BETWEEN = {"rates": ("users", "items"), "rated_by": ("items", "users"), "follows": ("users", "users")}


def make_graph(random):
    edges = [(int(random.integers(NODES - 1)), int(random.integers(NODES - 1))) for _ in range(60)]
    edges += [(source, 3) for source in range(5, 25)]  # a hub
    edges += [(7, 7), (9, 9), (2, 4), (2, 4), (2, 4)]  # self-loops, parallel edges; the last node has none
    return edges


def sum_at(values, destinations):
    return torch.zeros((NODES, *values.shape[1:])).index_add(0, destinations, values)


def mean_at(values, destinations):
    n = sum_at(torch.ones(len(destinations)), destinations).clamp(min=1)
    return sum_at(values, destinations) / n[:, None]


def gcn(p, x, src, dst):
    n = 1 / sum_at(torch.ones(len(dst)), dst).clamp(min=1).sqrt()
    for layer in range(2):
        x = x @ p[f"layer{layer}/weight"]
        x = sum_at((x * n[:, None])[src], dst) * n[:, None] + p[f"layer{layer}/bias"]
        if layer == 0:
            x = torch.relu(x)
    return x


def gat(p, x, src, dst):
    for layer in range(2):
        heads, each = (HEADS, HIDDEN) if layer == 0 else (1, CLASSES)
        h = (x @ p[f"layer{layer}/weight"]).view(NODES, heads, each)
        left = (h * p[f"layer{layer}/attention/source"]).sum(-1)
        right = (h * p[f"layer{layer}/attention/destination"]).sum(-1)
        s = torch.nn.functional.leaky_relu(left[src] + right[dst], 0.2)
        most = torch.full((NODES, heads), -torch.inf).index_reduce(0, dst, s.detach(), "amax")
        e = torch.exp(s - most[dst])
        h = sum_at(e[:, :, None] * h[src], dst) / sum_at(e, dst)[:, :, None]
        x = h.reshape(NODES, heads * each) + p[f"layer{layer}/bias"]
        if layer == 0:
            x = torch.nn.functional.elu(x)
    return x


def affine(p, name, x):
    return x @ p[name + "/weight"] + p[name + "/bias"]


def gin(p, x, src, dst):
    for layer in range(2):
        x = (1 + p[f"layer{layer}/epsilon"]) * x + sum_at(x[src], dst)
        x = affine(p, f"layer{layer}/second", torch.relu(affine(p, f"layer{layer}/first", x)))
        if layer == 0:
            x = torch.relu(x)
    return x


def sage(p, x, src, dst):
    for layer in range(2):
        x = affine(p, f"layer{layer}/own", x) + mean_at(x[src], dst) @ p[f"layer{layer}/neighbours/weight"]
        if layer == 0:
            x = torch.relu(x)
    return x


def commnet(p, x, src, dst):
    x = torch.tanh(affine(p, "encoder", x))
    src, dst = src[src != dst], dst[src != dst]
    for layer in range(2):
        heard = mean_at(x[src], dst)
        x = torch.tanh(affine(p, f"layer{layer}/own", x) + heard @ p[f"layer{layer}/others/weight"])
    return affine(p, "decoder", x)


def rgcn(p, x, src, dst, types):
    for layer in range(2):
        y = affine(p, f"layer{layer}/own", x)
        for relation, weight in enumerate(p[f"layer{layer}/relations/weight"]):
            of_type = types == relation
            y = y + mean_at(x[src[of_type]], dst[of_type]) @ weight
        x = torch.relu(y) if layer == 0 else y
    return x


def hetero_sage(p, x, edges):
    """Users (the nodes of the other networks) and items; edges: by relation, sources and destinations."""
    for layer in range(2):
        y = {kind: affine(p, f"layer{layer}/{kind}/own", x[kind]) for kind in (x if layer == 0 else ["users"])}
        for relation, (source, destination) in BETWEEN.items():
            if destination in y:
                src, dst = edges[relation]
                read = x[source][src] @ p[f"layer{layer}/{relation}/weight"]
                n = len(x[destination])
                degree = torch.zeros(n).index_add(0, dst, torch.ones(len(dst))).clamp(min=1)
                total = torch.zeros((n, read.shape[1])).index_add(0, dst, read)
                y[destination] = y[destination] + total / degree[:, None]
        x = {kind: torch.relu(value) for kind, value in y.items()} if layer == 0 else y
    return x["users"]


def make_relations(random, folder):
    """An item that all users rate, a user and an item that are alone otherwise, parallel edges."""
    count, relations = {"users": NODES, "items": ITEMS}, {}
    for relation, (source, destination) in BETWEEN.items():
        n, m = count[source], count[destination]
        edges = [(int(random.integers(n - 1)), int(random.integers(m - 1))) for _ in range(50)] + [(1, 2), (1, 2)]
        edges += [(v, 3) for v in range(n)] if relation == "rates" else []
        relations[relation] = tuple(torch.tensor(ends) for ends in zip(*edges))
        with open(os.path.join(folder, relation + ".mtx"), "w", encoding="utf-8") as file:
            file.write(f"%%MatrixMarket matrix coordinate pattern general\n{n} {m} {len(edges)}\n")
            file.writelines(f"{s + 1} {d + 1}\n" for s, d in edges)
    return relations


def lstm_of(p, name, messages):
    """The last hidden state after these messages, with ONNX' order of gates: input, output, forget, candidate."""
    h = c = torch.zeros(HIDDEN)
    bias = p[name + "/bias"][0, :4 * HIDDEN] + p[name + "/bias"][0, 4 * HIDDEN:]
    for message in messages:
        z = p[name + "/input/weight"][0] @ message + p[name + "/hidden/weight"][0] @ h + bias
        i, o, f, g = z.view(4, HIDDEN)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h


def sage_lstm(p, x, src, dst):
    """One node at a time: messages in the order of their sources."""
    edges = sorted(zip(dst.tolist(), src.tolist()))
    for layer in range(2):
        read = torch.stack([lstm_of(p, f"layer{layer}/lstm", [x[s] for d, s in edges if d == v])
                            for v in range(NODES)])
        x = affine(p, f"layer{layer}/own", x) + read @ p[f"layer{layer}/neighbours/weight"]
        if layer == 0:
            x = torch.relu(x)
    return x


def treelstm(p, words, src, dst):
    """One node at a time, children first."""
    states, edges = {}, list(zip(src.tolist(), dst.tolist()))

    def state(v):
        if v not in states:
            children = [state(s) for s, d in edges if d == v]
            x = p["embedding"][words[v]]
            total = sum((h for h, c in children), torch.zeros(HIDDEN))
            i, o, u = (affine(p, "gates/input", x) + total @ p["gates/hidden/weight"]).view(3, HIDDEN)
            c = torch.sigmoid(i) * torch.tanh(u)
            for child, cell in children:
                f = torch.sigmoid(affine(p, "forget/input", x) + child @ p["forget/hidden/weight"])
                c = c + f * cell
            states[v] = (torch.sigmoid(o) * torch.tanh(c), c)
        return states[v]

    return affine(p, "classifier", torch.stack([state(v)[0] for v in range(NODES)]))


def readout(kind, x):
    """One row for each graph of the batch."""
    graphs = torch.split(x, SIZES)
    return torch.stack([{"sum": g.sum(0), "mean": g.mean(0), "max": g.amax(0)}[kind] for g in graphs])


def write_edges(path, nodes, edges):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate pattern general\n{nodes} {nodes} {len(edges)}\n")
        file.writelines(f"{s + 1} {d + 1}\n" for s, d in edges)


def make_batch(random, folder):
    """Connected graphs, one of them a node alone: a file each, and all side by side."""
    os.makedirs(os.path.join(folder, "batch"), exist_ok=True)
    union, first = [], 0
    for i, nodes in enumerate(SIZES):
        edges = [(int(random.integers(v)), v) for v in range(1, nodes)]  # a tree
        edges += [tuple(int(v) for v in random.integers(nodes, size=2)) for _ in range(nodes - 1)]
        edges = [edges[j][::(-1) ** j] for j in random.permutation(len(edges))]
        write_edges(os.path.join(folder, "batch", f"{i}.mtx"), nodes, edges)
        union += [(s + first, d + first) for s, d in edges]
        first += nodes
    write_edges(os.path.join(folder, "batch.mtx"), first, union)
    return tuple(torch.tensor(ends) for ends in zip(*union))


def make_forest(random):
    """Trees of several depths: nodes with one child, two, and many; one that is alone."""
    edges = [(s, 20) for s in range(7)] + [(7, 21), (8, 21), (20, 22), (21, 22), (9, 23), (22, 23), (23, 29)]
    edges += [(10, 24), (11, 24), (24, 25), (12, 26), (13, 26), (26, 27), (14, 27), (25, 28), (27, 28)]
    return [edges[i] for i in random.permutation(len(edges))]


def dense(name, inner, outer, bias=True):
    return {name + "/weight": (inner, outer), **({name + "/bias": (outer,)} if bias else {})}


def shapes(name):
    if name == "commnet":
        layers = [{**dense(f"layer{i}/own", HIDDEN, HIDDEN), **dense(f"layer{i}/others", HIDDEN, HIDDEN, bias=False)}
                  for i in range(2)]
        return {**dense("encoder", FEATURES, HIDDEN), **layers[0], **layers[1], **dense("decoder", HIDDEN, CLASSES)}
    if name == "treelstm":
        return {"embedding": (WORDS, FEATURES), **dense("gates/input", FEATURES, 3 * HIDDEN),
                **dense("forget/input", FEATURES, HIDDEN), **dense("gates/hidden", HIDDEN, 3 * HIDDEN, bias=False),
                **dense("forget/hidden", HIDDEN, HIDDEN, bias=False), **dense("classifier", HIDDEN, CLASSES)}
    if name == "hetero-sage":
        first, second = {"users": FEATURES, "items": ITEM_FEATURES}, {"users": HIDDEN, "items": HIDDEN}
        layers = [dense(f"layer{i}/{kind}/own", inner[kind], outer)
                  for i, inner, outer in ((0, first, HIDDEN), (1, second, CLASSES))
                  for kind in inner if i == 0 or kind == "users"]
        layers += [dense(f"layer{i}/{relation}", inner[source], outer, bias=False)
                   for i, inner, outer in ((0, first, HIDDEN), (1, second, CLASSES))
                   for relation, (source, destination) in BETWEEN.items() if i == 0 or destination == "users"]
        return {key: shape for layer in layers for key, shape in layer.items()}
    all_shapes = {}
    for layer, inner, outer in (("layer0", FEATURES, HIDDEN), ("layer1", HIDDEN, CLASSES)):
        all_shapes.update({
            "gin": {layer + "/epsilon": (), **dense(layer + "/first", inner, HIDDEN),
                    **dense(layer + "/second", HIDDEN, outer)},
            "sage": {**dense(layer + "/own", inner, outer), **dense(layer + "/neighbours", inner, outer, bias=False)},
            "sage-lstm": {**dense(layer + "/own", inner, outer), **dense(layer + "/neighbours", HIDDEN, outer, bias=False),
                          layer + "/lstm/input/weight": (1, 4 * HIDDEN, inner),
                          layer + "/lstm/hidden/weight": (1, 4 * HIDDEN, HIDDEN),
                          layer + "/lstm/bias": (1, 8 * HIDDEN)},
            "rgcn": {**dense(layer + "/own", inner, outer), layer + "/relations/weight": (RELATIONS, inner, outer)},
        }[name])
    return all_shapes


def parameters(name, draw):
    if name not in ("gcn", "gat"):
        return {key: draw(*shape) for key, shape in shapes(name).items()}
    width = HIDDEN if name == "gcn" else HEADS * HIDDEN
    p = {"layer0/weight": draw(FEATURES, width), "layer0/bias": draw(width),
         "layer1/weight": draw(width, CLASSES), "layer1/bias": draw(CLASSES)}
    if name == "gat":
        for layer, shape in enumerate([(HEADS, HIDDEN), (1, CLASSES)]):
            p[f"layer{layer}/attention/source"] = draw(*shape)
            p[f"layer{layer}/attention/destination"] = draw(*shape)
    return p


def make_reference(folder, name, network, p, y):
    """Outputs, then five steps of training: losses, parameters after the last."""
    write_safetensors(os.path.join(folder, name + ".safetensors"), p)
    np.save(os.path.join(folder, name + "_logits.npy"), network(p).numpy())
    for each in p.values():
        each.requires_grad_()
    optimizer = torch.optim.Adam(p.values(), lr=0.01, weight_decay=5e-4)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(p), y, ignore_index=-1)
        loss.backward()
        lacking = [key for key, each in p.items() if not key.endswith(UNFELT) and (each.grad is None or not each.grad.any())]
        assert not lacking, f"{name}: {lacking}"
        optimizer.step()
        losses.append(loss.item())
    np.save(os.path.join(folder, name + "_losses.npy"), np.array(losses))
    for key, each in p.items():
        path = os.path.join(folder, name + "_parameters", key + ".npy")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        np.save(path, each.detach().numpy())


def main(folder):
    random = np.random.default_rng(1)
    edges = make_graph(random)
    types = np.random.default_rng(2).integers(RELATIONS, size=len(edges))
    with open(os.path.join(folder, "edges.txt"), "w", encoding="utf-8") as file:
        file.write("# source destination\n")
        file.writelines(f"{s} {d}\n" for s, d in [*edges, (NODES - 1, NODES - 1)])
    with open(os.path.join(folder, "edges.mtx"), "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n% source destination type\n")
        file.write(f"{NODES} {NODES} {len(edges)}\n")
        file.writelines(f"{s + 1} {d + 1} {t}\n" for (s, d), t in zip(edges, types))
    loops = {s for s, d in edges if s == d}
    given = tuple(torch.tensor(ends) for ends in zip(*edges))
    looped = tuple(torch.tensor(ends) for ends in zip(*edges, *((v, v) for v in range(NODES) if v not in loops)))
    typed = (*given, torch.tensor(types))
    features = random.standard_normal((NODES, FEATURES)).astype(np.float32)
    labels = random.integers(-1, CLASSES, NODES)  # -1: not in the training set
    np.save(os.path.join(folder, "features.npy"), features)
    np.save(os.path.join(folder, "labels.npy"), labels)
    drawn = np.random.default_rng(3)
    forest = make_forest(drawn)
    with open(os.path.join(folder, "forest.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{s} {d}\n" for s, d in forest)
    forest = tuple(torch.tensor(ends) for ends in zip(*forest))
    words = drawn.integers(WORDS, size=NODES)
    np.save(os.path.join(folder, "words.npy"), words)
    x, y = torch.tensor(features), torch.tensor(labels)
    for name, network, graph in (("gcn", gcn, looped), ("gat", gat, looped), ("gin", gin, given), ("sage", sage, given),
                                 ("commnet", commnet, given), ("rgcn", rgcn, typed)):
        p = parameters(name, lambda *shape: torch.tensor(random.uniform(-0.5, 0.5, shape), dtype=torch.float32))
        make_reference(folder, name, lambda p, network=network, graph=graph: network(p, x, *graph), p, y)
    for name, network, graph, given in (("sage-lstm", sage_lstm, given, x), ("treelstm", treelstm, forest, words)):
        p = parameters(name, lambda *shape: torch.tensor(drawn.uniform(-0.5, 0.5, shape), dtype=torch.float32))
        make_reference(folder, name, lambda p, network=network, graph=graph, given=given: network(p, given, *graph), p, y)
    hetero = np.random.default_rng(4)
    relations = make_relations(hetero, folder)
    items = hetero.standard_normal((ITEMS, ITEM_FEATURES)).astype(np.float32)
    np.save(os.path.join(folder, "items.npy"), items)
    molecules = np.random.default_rng(5)
    batch = make_batch(molecules, folder)
    graph_labels = np.array([1, 0, 3, -1, 2, 1])
    np.save(os.path.join(folder, "graph_labels.npy"), graph_labels)
    for kind in ("sum", "mean", "max"):
        p = parameters("gin", lambda *shape: torch.tensor(molecules.uniform(-0.5, 0.5, shape), dtype=torch.float32))
        make_reference(folder, "gin-" + kind, lambda p, kind=kind: readout(kind, gin(p, x, *batch)), p,
                       torch.tensor(graph_labels))
    both = {"users": x, "items": torch.tensor(items)}
    p = parameters("hetero-sage", lambda *shape: torch.tensor(hetero.uniform(-0.5, 0.5, shape), dtype=torch.float32))
    make_reference(folder, "hetero-sage", lambda p: hetero_sage(p, both, relations), p, y)


if __name__ == "__main__":
    main(sys.argv[1])
