#!/usr/bin/env python3
"""A child of the programs that compare graph networks: trains one in one framework, and prints what that took, as JSON.

usage: graph_peer.py JSON      (graph_runs.py, and the programs that use it, have what JSON says)

It is a process of its own, so that its memory is its own. `prepare` writes what all frameworks train on: features, labels
and the same initial weights. Needs numpy and scipy, and PyTorch, PyTorch Geometric (pyg), DGL or iSpLib for those.
"""

import json
import os
import statistics
import sys
import time

import numpy as np
import scipy.sparse

from drawn_molecules import molecules
from weights_file import read_safetensors, write_safetensors


def peak_memory():
    """Of this process, in bytes: unlike getrusage's, not that of what started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


def read_graph(path, with_loops=True):
    """Sources and destinations; with an edge from itself to itself for each node that has none, at the end, or as they are."""
    matrix = scipy.sparse.load_npz(path).tocsr()
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    destinations = matrix.indices.astype(np.int64)
    if not with_loops:
        return matrix.shape[0], sources, destinations
    lacks = np.setdiff1d(np.arange(matrix.shape[0]), sources[sources == destinations])
    return matrix.shape[0], np.concatenate([sources, lacks]), np.concatenate([destinations, lacks])


def layers_of(task):
    """Of each layer: features that come in, heads, features of a head."""
    hidden = (task["heads"], task["hidden"]) if task["model"] == "gat" else (1, task["hidden"])
    return [(task["features"], *hidden), (hidden[0] * hidden[1], 1, task["classes"])]


def prepare(task):
    random = np.random.default_rng(1)
    nodes = scipy.sparse.load_npz(task["graph"]).shape[0]
    draw = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    np.save(os.path.join(task["work"], "features.npy"), draw(nodes, task["features"]))
    np.save(os.path.join(task["work"], "labels.npy"), random.integers(task["classes"], size=nodes))
    weights = {}
    for number, (inner, heads, each) in enumerate(layers_of(task)):
        layer = f"layer{number}/"
        if task["model"] == "sage-sum":
            # Small, as sums over thousands of neighbours are large.
            weights[layer + "own/weight"], weights[layer + "neighbours/weight"] = (
                draw(inner, each) * np.float32((2 / (inner + each)) ** 0.5 * scale) for scale in (1, 1e-2))
            weights[layer + "own/bias"] = np.zeros(each, np.float32)
            continue
        weights[layer + "weight"] = draw(inner, heads * each) * np.float32((2 / (inner + each)) ** 0.5)
        weights[layer + "bias"] = np.zeros(heads * each, np.float32)
        if task["model"] == "gat":
            for end in "source", "destination":
                weights[layer + "attention/" + end] = draw(heads, each) * np.float32(0.3)
    write_safetensors(os.path.join(task["work"], "parameters.safetensors"), weights)


# A framework is a function of (task, torch, weights by name, nodes, sources, destinations) to (weights that are trained,
# a function of features to logits).

def plain(task, torch, weights, nodes, sources, destinations):
    """PyTorch alone: messages are gathered, then added up where they go."""
    def sum_at(values):
        return values.new_zeros(nodes, *values.shape[1:]).index_add(0, destinations, values)

    degree = sum_at(torch.ones(len(destinations))).clamp(min=1).rsqrt()[:, None]

    def gcn(x, layer, heads, each):
        x = x @ weights[layer + "weight"]
        return sum_at((x * degree)[sources]) * degree + weights[layer + "bias"]

    def gat(x, layer, heads, each):
        h = (x @ weights[layer + "weight"]).view(nodes, heads, each)
        left = (h * weights[layer + "attention/source"]).sum(-1)
        right = (h * weights[layer + "attention/destination"]).sum(-1)
        score = torch.nn.functional.leaky_relu(left[sources] + right[destinations], 0.2)
        most = torch.full((nodes, heads), -torch.inf).index_reduce(0, destinations, score.detach(), "amax")
        e = torch.exp(score - most[destinations])
        h = sum_at(e[:, :, None] * h[sources]) / sum_at(e)[:, :, None]
        return h.reshape(nodes, heads * each) + weights[layer + "bias"]

    return weights.values(), two_layers(task, torch, {"gcn": gcn, "gat": gat}[task["model"]])


def two_layers(task, torch, layer):
    between = torch.relu if task["model"] == "gcn" else torch.nn.functional.elu
    first, second = layers_of(task)

    def network(x):
        return layer(between(layer(x, "layer0/", *first[1:])), "layer1/", *second[1:])

    return network


def plain_csr(task, torch, weights, nodes, sources, destinations):
    """PyTorch's sparse matrices: the normalized adjacency times features; for the backward pass, its transpose is kept."""
    assert task["model"] == "gcn"
    degree = np.maximum(np.bincount(destinations, minlength=nodes), 1) ** -0.5
    values = (degree[sources] * degree[destinations]).astype(np.float32)
    matrix = scipy.sparse.csr_matrix((values, (destinations.numpy(), sources.numpy())), (nodes, nodes))

    def csr(m):
        m = m.tocsr()
        return torch.sparse_csr_tensor(torch.from_numpy(m.indptr), torch.from_numpy(m.indices), torch.from_numpy(m.data), m.shape)

    forward, backward = csr(matrix), csr(matrix.T)

    class Aggregate(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return forward @ x

        @staticmethod
        def backward(ctx, gradient):
            return backward @ gradient

    def gcn(x, layer, heads, each):
        return Aggregate.apply(x @ weights[layer + "weight"]) + weights[layer + "bias"]

    return weights.values(), two_layers(task, torch, gcn)


def pyg_csr(task, torch, weights, nodes, sources, destinations):
    """PyTorch Geometric's layers on a sparse matrix in place of a list of edges, with which it sums messages without making
    them (`message_and_aggregate`)."""
    assert task["model"] != "gat"
    matrix = scipy.sparse.csr_matrix((np.ones(len(sources), np.float32), (destinations.numpy(), sources.numpy())), (nodes, nodes))
    csr = torch.sparse_csr_tensor(torch.from_numpy(matrix.indptr), torch.from_numpy(matrix.indices),
                                  torch.from_numpy(matrix.data), matrix.shape)
    return pyg(task, torch, weights, nodes, sources, destinations, csr)


def pyg(task, torch, weights, nodes, sources, destinations, edges=None):
    """PyTorch Geometric's layers on a list of edges, as in its examples; GCN's normalization is worked out once, but for
    graphs that are new in each step."""
    if edges is None:
        edges = torch.stack([sources, destinations])
    parameters, network = pyg_network(task, torch, weights)
    return parameters, lambda x: network(x, edges)


def sparse_tensor(task, torch, weights, nodes, sources, destinations):
    """The same on a torch_sparse.SparseTensor, as iSpLib's authors measured PyTorch Geometric ("PT2"): it makes a matrix of
    PyTorch's of it in each product."""
    from torch_sparse import SparseTensor
    matrix = SparseTensor(row=destinations, col=sources, sparse_sizes=(nodes, nodes)).fill_cache_()
    return pyg(task, torch, weights, nodes, sources, destinations, matrix)


def torch_sparse(task, torch, *graph):
    """The same, with torch_sparse's own product ("PT1")."""
    import torch_geometric.typing
    torch_geometric.typing.WITH_PT20 = False
    return sparse_tensor(task, torch, *graph)


def isplib(task, torch, *graph):
    """The same, with products that iSpLib has put in the place of torch_sparse's."""
    from isplib import iSpLibPlugin
    iSpLibPlugin.patch_pyg()
    return sparse_tensor(task, torch, *graph)


def pyg_network(task, torch, weights):
    """Its parameters, and a function of features and edges."""
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv
    if task["model"] == "sage-sum":
        make = lambda inner, heads, each: SAGEConv(inner, each, aggr="sum")
    elif task["model"] == "gcn":
        cached = "molecules" not in task and "at_once" not in task
        make = lambda inner, heads, each: GCNConv(inner, each, cached=cached, add_self_loops=False)
    else:
        make = lambda inner, heads, each: GATConv(inner, each, heads=heads, add_self_loops=False)
    convolutions = torch.nn.ModuleList(make(*layer) for layer in layers_of(task))
    with torch.no_grad():
        for number, each in enumerate(convolutions):
            layer = f"layer{number}/"
            if task["model"] == "sage-sum":
                each.lin_l.weight.copy_(weights[layer + "neighbours/weight"].T)
                each.lin_l.bias.copy_(weights[layer + "own/bias"])
                each.lin_r.weight.copy_(weights[layer + "own/weight"].T)
                continue
            each.lin.weight.copy_(weights[layer + "weight"].T)
            each.bias.copy_(weights[layer + "bias"])
            if task["model"] == "gat":
                each.att_src.copy_(weights[layer + "attention/source"][None])
                each.att_dst.copy_(weights[layer + "attention/destination"][None])
    # GCN's rule for the degree of nodes is the same once the loops are there.
    between = torch.nn.functional.elu if task["model"] == "gat" else torch.relu
    return convolutions.parameters(), lambda x, edges: convolutions[1](between(convolutions[0](x, edges)), edges)


def dgl_graph(torch, nodes, sources, destinations):
    import dgl as library
    graph = library.graph((sources, destinations), num_nodes=nodes)
    graph.ndata["scale"] = graph.in_degrees().clamp(min=1).float().pow(-0.5)[:, None]
    return graph


def dgl(task, torch, weights, nodes, sources, destinations):
    """DGL's layers."""
    graph = dgl_graph(torch, nodes, sources, destinations)
    parameters, network = dgl_network(task, torch, weights)
    return parameters, lambda x: network(x, graph)


def dgl_network(task, torch, weights):
    """Its parameters, and a function of features and a graph."""
    from dgl.nn.pytorch import GATConv, GraphConv

    class Convolution(torch.nn.Module):
        """Normalized by the degree of edges that come in, at both ends: norm="both" takes those that leave, at one."""

        def __init__(self, inner, each):
            super().__init__()
            self.sum = GraphConv(inner, each, norm="none", bias=False, allow_zero_in_degree=True)
            self.weight, self.bias = self.sum.weight, torch.nn.Parameter(torch.zeros(each))

        def forward(self, graph, x):
            scale = graph.ndata["scale"]
            return self.sum(graph, x * scale) * scale + self.bias

    if task["model"] == "gcn":
        make = lambda inner, heads, each: Convolution(inner, each)
    else:
        make = lambda inner, heads, each: GATConv(inner, each, heads, allow_zero_in_degree=True)
    convolutions = torch.nn.ModuleList(make(*layer) for layer in layers_of(task))
    with torch.no_grad():
        for number, each in enumerate(convolutions):
            layer = f"layer{number}/"
            if task["model"] == "gcn":
                each.weight.copy_(weights[layer + "weight"])
            else:
                each.fc.weight.copy_(weights[layer + "weight"].T)
                each.attn_l.copy_(weights[layer + "attention/source"][None])
                each.attn_r.copy_(weights[layer + "attention/destination"][None])
            each.bias.copy_(weights[layer + "bias"].view(each.bias.shape))
    between = torch.relu if task["model"] == "gcn" else torch.nn.functional.elu
    return (convolutions.parameters(),
            lambda x, graph: convolutions[1](graph, between(convolutions[0](graph, x).flatten(1))).flatten(1))


FRAMEWORKS = {"torch": plain, "torch-csr": plain_csr, "pyg": pyg, "pyg-csr": pyg_csr, "dgl": dgl, "pyg-2.4": pyg,
              "pyg-2.4-sparse-tensor": sparse_tensor, "pyg-2.4-torch-sparse": torch_sparse, "isplib": isplib}


def train(task):
    import torch
    torch.set_num_threads(task["threads"])
    torch.manual_seed(1)
    nodes, sources, destinations = read_graph(task["graph"], task["model"] != "sage-sum")
    weights = {name: torch.from_numpy(array).requires_grad_()
               for name, array in read_safetensors(os.path.join(task["work"], "parameters.safetensors")).items()}
    x = torch.from_numpy(np.load(os.path.join(task["work"], "features.npy")))
    labels = torch.from_numpy(np.load(os.path.join(task["work"], "labels.npy")))
    trained, network = FRAMEWORKS[task["framework"]](task, torch, weights, nodes, torch.from_numpy(sources),
                                                     torch.from_numpy(destinations))
    optimizer = torch.optim.Adam(list(trained), task["rate"])
    seconds, cpu, losses = [], [], []
    while len(seconds) < task["steps"] and (len(seconds) < 2 or sum(seconds) < task["budget"]):
        start, before = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - before)
    return {"seconds": seconds[1:], "cpu": statistics.median(cpu[1:]), "losses": losses}


def infer(task):
    """The same network, evaluated only. With `molecules`: on one of them after the other, each there as PyTorch's tensors or
    DGL's graph before, and nothing else of it known. With `at_once`: on so many of them side by side, laid so in each step."""
    import torch
    torch.set_num_threads(task["threads"])
    weights = {name: torch.from_numpy(array)
               for name, array in read_safetensors(os.path.join(task["work"], "parameters.safetensors")).items()}
    evaluate = many_at_once(task, torch, weights) if "at_once" in task else one_after_the_other(task, torch, weights)
    seconds, cpu = [], []
    with torch.inference_mode():
        for step in range(task["steps"]):
            start, before = time.perf_counter(), time.process_time()
            result = evaluate(step)
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - before)
    return {"seconds": seconds[1:], "cpu": statistics.median(cpu[1:]), "losses": [], "sum": float(result.double().abs().sum())}


def one_after_the_other(task, torch, weights):
    steps = []
    for number in range(task.get("molecules", 1)):
        nodes, sources, destinations = read_graph(task["graph"].format(number))
        x = torch.from_numpy(np.load(os.path.join(task["work"], "features.npy")))
        if nodes != len(x):
            x = torch.randn(nodes, task["features"])
        _, network = FRAMEWORKS[task["framework"]](task, torch, weights, nodes, torch.from_numpy(sources),
                                                   torch.from_numpy(destinations))
        steps.append((network, x))

    def evaluate(step):
        network, x = steps[step % len(steps)]
        return network(x)

    return evaluate


def many_at_once(task, torch, weights):
    with open(task["graph"] + ".sizes.json", encoding="utf-8") as file:
        starts = np.cumsum([0] + [nodes for nodes, _ in json.load(file)])
    _, sources, destinations = read_graph(task["graph"])
    order = np.argsort(sources, kind="stable")
    sources, destinations = sources[order], destinations[order]
    ends = np.searchsorted(sources, starts)
    single = [(int(starts[k + 1] - starts[k]), *(torch.from_numpy(each[ends[k]:ends[k + 1]] - starts[k])
                                                 for each in (sources, destinations))) for k in range(len(starts) - 1)]
    if task["framework"] == "dgl":
        import dgl as library
        graphs = [dgl_graph(torch, *each) for each in single]
        for graph in graphs:
            graph.ndata["x"] = torch.randn(graph.num_nodes(), task["features"])
        _, network = dgl_network(task, torch, weights)

        def of(batch):
            graph = library.batch(batch)
            return network(graph.ndata["x"], graph)
    else:
        from torch_geometric.data import Batch, Data
        graphs = [Data(x=torch.randn(nodes, task["features"]), edge_index=torch.stack(edges)) for nodes, *edges in single]
        _, network = pyg_network(task, torch, weights)

        def of(batch):
            batch = Batch.from_data_list(batch)
            return network(batch.x, batch.edge_index)

    order = np.random.default_rng(1).permutation(len(graphs))
    batches = len(order) // task["at_once"]

    def evaluate(step):
        first = step % batches * task["at_once"]
        return of([graphs[number] for number in order[first:first + task["at_once"]]])

    return evaluate


def aggregate(task):
    """The sum of what edges bring alone, forward only: seconds of each way to say it."""
    import torch
    torch.set_num_threads(task["threads"])
    nodes, sources, destinations = read_graph(task["graph"])
    x = torch.from_numpy(np.load(os.path.join(task["work"], "features.npy")))
    matrix = scipy.sparse.csr_matrix((np.ones(len(sources), np.float32), (destinations, sources)), (nodes, nodes))

    def csr(offsets, columns, values):
        return torch.sparse_csr_tensor(torch.from_numpy(offsets), torch.from_numpy(columns), torch.from_numpy(values), matrix.shape)

    # scipy makes one entry of edges between the same two nodes; smex adds up each of them.
    once = csr(matrix.indptr, matrix.indices, matrix.data)
    order = np.lexsort((sources, destinations))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(destinations, minlength=nodes))])
    each = csr(offsets.astype(np.int32), sources[order].astype(np.int32), np.ones(len(sources), np.float32))
    sources, destinations = torch.from_numpy(sources), torch.from_numpy(destinations)
    ways = {"torch": lambda: torch.zeros_like(x).index_add(0, destinations, x[sources]), "torch-csr": lambda: once @ x,
            "torch-csr-each": lambda: each @ x}
    seconds, cpu = [], []
    for _ in range(task["steps"]):
        start, before = time.perf_counter(), time.process_time()
        ways[task["framework"]]()
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - before)
    return {"seconds": seconds[1:], "cpu": statistics.median(cpu[1:]), "losses": []}


def main():
    task = json.loads(sys.argv[1])
    if task["do"] in ("prepare", "molecules"):
        return {"prepare": prepare, "molecules": molecules}[task["do"]](task)
    try:
        result = {"train": train, "infer": infer, "aggregate": aggregate}[task["do"]](task)
        result["memory"] = peak_memory()
    except (MemoryError, RuntimeError) as error:  # PyTorch's allocator says so in words
        if not isinstance(error, MemoryError) and "memory" not in str(error):
            raise
        result = {"out of memory": True}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
