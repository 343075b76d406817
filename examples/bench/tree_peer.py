#!/usr/bin/env python3
"""A child of figure_4_8: trains a child-sum TreeLSTM (Tai et al.) on a forest, and prints what that took, as JSON.

usage: tree_peer.py JSON

The model is smex-zoo's `treelstm`, from the same weights: every node has a word and a class, the loss is the mean over nodes,
Adagrad. `prepare` writes words, labels and weights. `batch`: 0 takes the whole forest in each step, laid out beforehand; else
each step takes other trees, so many of them at random, and laying them out is part of the step: all peers take the same ones.
Five peers:

- trees: PyTorch, tree by tree and node by node, one small product after the other, as a framework does that builds a graph
  per sample (DyNet without auto-batching);
- depths: PyTorch, all nodes of a height one batch, as a person would write it by hand, or DyNet's auto-batching finds;
- pyg: the same, with PyTorch Geometric's sum over children; it has no order of propagation of its own;
- dgl: DGL as in its example of a TreeLSTM, which the thesis' figure is of: trees are batched (`dgl.batch`), messages go in
  topological order (`prop_nodes_topo`), and a reduce function of the user's is called for each number of children;
- dynet: DyNet with auto-batching, the graph of a step built node by node, as in the thesis' figure. DyNet has one thread.

Needs numpy and scipy, and torch, torch_geometric, dgl or dynet (dyNET38 of PyPI, for Python up to 3.11).
"""

import json
import os
import statistics
import sys
import time

import numpy as np
import scipy.sparse

from graph_peer import peak_memory
from weights_file import read_safetensors, write_safetensors


def prepare(task):
    random = np.random.default_rng(1)
    matrix = scipy.sparse.load_npz(task["graph"])
    leaf = np.bincount(matrix.indices, minlength=matrix.shape[0]) == 0
    words = np.where(leaf, random.integers(1, task["vocabulary"], matrix.shape[0]), 0)  # 0: a phrase
    np.save(os.path.join(task["work"], "words.npy"), words)
    np.save(os.path.join(task["work"], "labels.npy"), random.integers(task["classes"], size=len(words)))
    F, H = task["features"], task["hidden"]
    shapes = {"embedding": (task["vocabulary"], F), "gates/input/weight": (F, 3 * H), "gates/input/bias": (3 * H,),
              "forget/input/weight": (F, H), "forget/input/bias": (H,), "gates/hidden/weight": (H, 3 * H),
              "forget/hidden/weight": (H, H), "classifier/weight": (H, task["classes"]), "classifier/bias": (task["classes"],)}
    draw = lambda shape: random.standard_normal(shape, dtype=np.float32) * np.float32(0.3 if shape[0] > H else H ** -0.5)
    write_safetensors(os.path.join(task["work"], "parameters.safetensors"), {name: draw(shape) for name, shape in shapes.items()})


def parents_of(path):
    """Of each node its parent, -1 for a root; parents come before their children."""
    matrix = scipy.sparse.load_npz(path).tocsr()
    parents = np.full(matrix.shape[0], -1)
    parents[np.diff(matrix.indptr) == 1] = matrix.indices
    return parents


def orders(trees, count):
    """Numbers of `count` trees after the other, in random order, without end."""
    random = np.random.default_rng(1)
    while True:
        order = random.permutation(trees)
        for first in range(0, len(order) - count + 1, count):
            yield order[first:first + count]


def batches(parents, count):
    """Numbers of nodes and parents of `count` trees after the other, until all have been there, in random order."""
    roots = np.flatnonzero(parents < 0)
    ends = np.append(roots[1:], len(parents))  # a tree's nodes follow its root
    for trees in orders(len(roots), count):
        nodes = np.concatenate([np.arange(roots[tree], ends[tree]) for tree in trees])
        place = np.full(len(parents) + 1, -1)  # the last one is of no parent
        place[nodes] = np.arange(len(nodes))
        yield nodes, place[parents[nodes]]


def added(x, at, count):
    return x.new_zeros(count, x.shape[1]).index_add(0, at, x)


def cell(torch, weights, gates, forget, h, c, at, count, add=added):
    """The update of `count` nodes: rows `gates` of them, `forget` of their children's nodes, states of the children, and
    which of the nodes each child is of."""
    sum_at = lambda x: add(x, at, count)
    i, o, u = (gates + sum_at(h) @ weights["gates/hidden/weight"]).chunk(3, 1)
    kept = torch.sigmoid(forget[at] + h @ weights["forget/hidden/weight"]) * c
    c = sum_at(kept) + torch.sigmoid(i) * torch.tanh(u)
    return torch.sigmoid(o) * torch.tanh(c), c


def leaves(torch, gates):
    i, o, u = gates.chunk(3, 1)
    c = torch.sigmoid(i) * torch.tanh(u)
    return torch.sigmoid(o) * torch.tanh(c), c


def inputs(weights, x):
    return (x @ weights["gates/input/weight"] + weights["gates/input/bias"],
            x @ weights["forget/input/weight"] + weights["forget/input/bias"])


def trees(torch, weights, words, parents):
    """States of all nodes; one node after the other, children before their parent."""
    children = [[] for _ in parents]
    for v, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(v)
    none = torch.zeros(1, dtype=torch.int64)

    def run():
        states = [None] * len(parents)
        x = weights["embedding"][words]  # at once: the gradient of a look-up is as large as the table
        for v in reversed(range(len(parents))):
            gates, forget = inputs(weights, x[v:v + 1])
            if not children[v]:
                states[v] = leaves(torch, gates)
                continue
            h, c = (torch.cat([states[child][k] for child in children[v]]) for k in (0, 1))
            states[v] = cell(torch, weights, gates, forget, h, c, none.expand(len(children[v])), 1)
        return torch.cat([h for h, _ in states])

    return run


def heights_pyg(torch, weights, words, parents):
    from torch_geometric.utils import scatter
    return depths(torch, weights, words, parents, lambda x, at, count: scatter(x, at, dim_size=count, reduce="sum"))


def depths(torch, weights, words, parents, add=added):
    """States of all nodes; all of a height at once."""
    height = np.zeros(len(parents), np.int64)
    for v in reversed(range(len(parents))):
        if parents[v] >= 0:
            height[parents[v]] = max(height[parents[v]], height[v] + 1)
    order = np.argsort(height, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    by_parent = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[by_parent], np.arange(len(parents) + 1))
    plan = []  # of each height from 1 up: nodes, places of their children's states, which node each child is of
    for k in range(1, height.max() + 1):
        nodes = np.flatnonzero(height == k)
        children = np.concatenate([by_parent[starts[v]:starts[v + 1]] for v in nodes])
        at = np.repeat(np.arange(len(nodes)), starts[nodes + 1] - starts[nodes])
        plan.append([torch.from_numpy(x) for x in (nodes, place[children], at)])
    lowest = torch.from_numpy(order[height[order] == 0])
    place = torch.from_numpy(place)

    def run():
        gates, forget = inputs(weights, weights["embedding"][words])
        h, c = leaves(torch, gates[lowest])
        hs, cs = h, c  # in the order of heights; grows by a level at a time
        for nodes, children, at in plan:
            h, c = cell(torch, weights, gates[nodes], forget[nodes], hs[children], cs[children], at, len(nodes), add)
            hs, cs = torch.cat([hs, h]), torch.cat([cs, c])
        return hs[place]

    return run


def timed(task, step):
    """Steps until there are as many as wanted, or the budget is spent: at least two, of which the first does not count."""
    seconds, cpu, losses = [], [], []
    while len(seconds) < task["steps"] and (len(seconds) < 2 or sum(seconds) < task["budget"]):
        start, before = time.perf_counter(), time.process_time()
        losses.append(step())
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - before)
    return {"seconds": seconds[1:], "cpu": statistics.median(cpu[1:]), "losses": losses, "memory": peak_memory()}


def load(task):
    """Words, labels, weights by name, and of each node its parent."""
    arrays = (np.load(os.path.join(task["work"], name + ".npy")) for name in ("words", "labels"))
    return (*arrays, read_safetensors(os.path.join(task["work"], "parameters.safetensors")), parents_of(task["graph"]))


def train(task):
    import torch
    torch.set_num_threads(task["threads"])
    words, labels, weights, parents = load(task)
    words, labels = torch.from_numpy(words), torch.from_numpy(labels)
    weights = {name: torch.from_numpy(array).requires_grad_() for name, array in weights.items()}
    make = {"trees": trees, "depths": depths, "pyg": heights_pyg}[task["framework"]]
    drawn = batches(parents, task["batch"]) if task["batch"] else None
    whole = None if drawn else make(torch, weights, words, parents)
    optimizer = torch.optim.Adagrad(weights.values(), task["rate"])

    def step():
        optimizer.zero_grad()
        wanted, run = labels, whole
        if drawn:
            nodes, above = next(drawn)
            wanted, run = labels[nodes], make(torch, weights, words[nodes], above)
        logits = run() @ weights["classifier/weight"] + weights["classifier/bias"]
        loss = torch.nn.functional.cross_entropy(logits, wanted)
        loss.backward()
        optimizer.step()
        return loss.item()

    return timed(task, step)


def train_dgl(task):
    import dgl
    import torch
    torch.set_num_threads(task["threads"])
    words, labels, weights, parents = load(task)
    words, labels = torch.from_numpy(words), torch.from_numpy(labels)
    weights = {name: torch.from_numpy(array).requires_grad_() for name, array in weights.items()}
    roots = np.flatnonzero(parents < 0)
    ends = np.append(roots[1:], len(parents))

    def tree(root, end):
        """As a data set of DGL's has it."""
        children = np.arange(root + 1, end)
        graph = dgl.graph((torch.from_numpy(children - root), torch.from_numpy(parents[children] - root)), num_nodes=int(end - root))
        graph.ndata["word"], graph.ndata["label"] = words[root:end], labels[root:end]
        return graph

    def message(edges):
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(nodes):
        h, c = nodes.mailbox["h"], nodes.mailbox["c"]
        kept = torch.sigmoid(nodes.data["forget"][:, None] + h @ weights["forget/hidden/weight"]) * c
        return {"gates": nodes.data["gates"] + h.sum(1) @ weights["gates/hidden/weight"], "c": kept.sum(1)}

    def apply(nodes):
        i, o, u = nodes.data["gates"].chunk(3, 1)
        c = nodes.data["c"] + torch.sigmoid(i) * torch.tanh(u)
        return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}

    forest = [tree(root, end) for root, end in zip(roots, ends)]
    drawn = orders(len(roots), task["batch"]) if task["batch"] else None
    whole = None if drawn else dgl.batch(forest)
    optimizer = torch.optim.Adagrad(weights.values(), task["rate"])

    def step():
        optimizer.zero_grad()
        graph = dgl.batch([forest[number] for number in next(drawn)]) if drawn else whole
        graph.ndata["gates"], graph.ndata["forget"] = inputs(weights, weights["embedding"][graph.ndata["word"]])
        graph.ndata["h"] = graph.ndata["c"] = torch.zeros(graph.num_nodes(), task["hidden"])
        dgl.prop_nodes_topo(graph, message, reduce, apply_node_func=apply)
        logits = graph.ndata["h"] @ weights["classifier/weight"] + weights["classifier/bias"]
        loss = torch.nn.functional.cross_entropy(logits, graph.ndata["label"])
        loss.backward()
        optimizer.step()
        return loss.item()

    return timed(task, step)


def train_dynet(task):
    import dynet_config
    words, labels, weights, parents = load(task)
    room = 128 + 2 * (task["batch"] or int((parents < 0).sum()))  # MiB: with auto-batching, DyNet cannot take more later
    dynet_config.set(mem=f"{room},{room},256,128", autobatch=1, random_seed=1)
    import dynet

    H = task["hidden"]
    model = dynet.ParameterCollection()
    embedding = model.lookup_parameters_from_numpy(weights.pop("embedding"))
    own = {name: model.parameters_from_numpy(np.ascontiguousarray(array.T)) for name, array in weights.items()}
    trainer = dynet.AdagradTrainer(model, task["rate"], 1e-20)
    trainer.set_clip_threshold(0)  # none, as elsewhere

    def product(*names):
        return [own[name + part] for name in names for part in ("/bias", "/weight") if name + part in own]

    (gates_bias, gates), (gates_h,) = product("gates/input"), product("gates/hidden")
    (forget_bias, forget), (forget_h,) = product("forget/input"), product("forget/hidden")
    classifier_bias, classifier = product("classifier")

    def node(word, children):
        """h and c of a node, of its children's."""
        x = dynet.lookup(embedding, int(word))
        if children:
            both = dynet.affine_transform([gates_bias, gates, x, gates_h, dynet.esum([h for h, _ in children])])
            own_forget = dynet.affine_transform([forget_bias, forget, x])
        else:
            both = dynet.affine_transform([gates_bias, gates, x])
        i, o, u = (dynet.pick_range(both, k * H, (k + 1) * H) for k in range(3))
        c = dynet.cmult(dynet.logistic(i), dynet.tanh(u))
        if children:
            c = dynet.esum([c, *(dynet.cmult(dynet.logistic(own_forget + forget_h * h), kept) for h, kept in children)])
        return dynet.cmult(dynet.logistic(o), dynet.tanh(c)), c

    drawn = batches(parents, task["batch"]) if task["batch"] else None
    everything = np.arange(len(parents)), parents

    def step():
        nodes, above = next(drawn) if drawn else everything
        dynet.renew_cg()
        children, losses = [[] for _ in nodes], []
        for v in reversed(range(len(nodes))):
            state = node(words[nodes[v]], children[v])
            if above[v] >= 0:
                children[above[v]].append(state)
            logits = dynet.affine_transform([classifier_bias, classifier, state[0]])
            losses.append(dynet.pickneglogsoftmax(logits, int(labels[nodes[v]])))
        loss = dynet.esum(losses) * (1 / len(nodes))
        value = loss.value()
        loss.backward()
        trainer.update()
        return value

    return timed(task, step)


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    if task["do"] == "prepare":
        prepare(task)
    else:
        print(json.dumps({"dynet": train_dynet, "dgl": train_dgl}.get(task["framework"], train)(task)))
