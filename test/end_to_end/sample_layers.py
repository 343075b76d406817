"""GraphSAGE (Hamilton et al. 2017, algorithm 2) and FastGCN (Chen et al. 2018, equation 10) by their definitions, on
blocks that were drawn (layer_blocks), against what smex-run has computed: sample_layers.sh says when.

    sample_layers.py prepare                    a graph, features, labels, parameters of both networks
    sample_layers.py sage PARAMETERS BLOCKS NODES LOGITS
    sample_layers.py median PARAMETERS BLOCKS NODES LOGITS       with medians of messages in place of means
    sample_layers.py fastgcn PARAMETERS BLOCKS NODES LOGITS
    sample_layers.py trained LOSS NODES METRICS SAVED BLOCKS..     cross_entropy or mse; a file of blocks for each step
    sample_layers.py united LOSS NODES METRICS SAVED BLOCKS..      the same where all layers work on all edges
    sample_layers.py walked PARAMETERS BLOCKS NODES LOGITS         likewise, without training
    sample_layers.py linked METRICS SAVED BLOCKS..                 labels of edges, by products of what their ends hear
    sample_layers.py linked-layers METRICS SAVED BLOCKS..          the same where none of these passes messages
    sample_layers.py featured METRICS SAVED BLOCKS..               likewise in two layers, of edges that have features
    sample_layers.py given MODEL NEW            the model with a loss of its own: mse of those in the batch
    sample_layers.py full LOGITS DRAWS          one layer of many draws, against all of the matrix
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../examples/bench"))

from weights_file import read_safetensors, write_safetensors  # noqa: E402

SEED = 7
NODES, FEATURES, HIDDEN, CLASSES = 60, 5, 6, 4
FANOUTS = (3, 2)  # the first layer's first
LR = 0.5


def read_parameters(path):
    return {name: values.astype(np.float64) for name, values in read_safetensors(path).items()}


def prepare():
    random = np.random.default_rng(SEED)
    # Parallel edges and self-loops among them; some nodes without any; numbers below 0.
    ends = random.integers(NODES - 5, size=(300, 2))
    values = random.integers(-4, 9, size=300) / 8
    with open("graph.txt", "w", encoding="utf-8") as file:
        for (source, destination), value in zip(ends, values):
            file.write(f"{source} {destination} {value}\n")
        file.write(f"{NODES - 1} {NODES - 1} 1\n")
    np.save("features.npy", random.standard_normal((NODES, FEATURES)).astype(np.float32))
    labels = np.arange(NODES) % CLASSES
    labels[random.random(NODES) < 0.6] = -1
    np.save("labels.npy", labels)
    np.save("labelled.npy", np.flatnonzero(labels >= 0))
    np.save("counted.npy", (labels >= 0).astype(np.int64))
    np.save("targets.npy", random.standard_normal((NODES, CLASSES)).astype(np.float32))
    np.save("all.npy", np.arange(NODES))
    np.save("nodes.npy", random.permutation(NODES)[:9])
    links = np.zeros(len(ends) + 1, np.int64)
    links[random.permutation(len(ends))[:12]] = 1
    np.save("links.npy", links)
    np.save("link_targets.npy", random.integers(2, size=len(links)).astype(np.float32))
    np.save("link_ends.npy", np.unique(ends[np.flatnonzero(links)]))

    def draw(*shape):
        return random.standard_normal(shape) * 0.6

    sage, gcn, median = {}, {}, {}
    for layer, (given, width) in enumerate(((FEATURES, HIDDEN), (HIDDEN, CLASSES))):
        sage[f"layer{layer}/own/weight"] = draw(given, width)
        sage[f"layer{layer}/own/bias"] = draw(width)
        sage[f"layer{layer}/neighbours/weight"] = draw(given, width)
        gcn[f"layer{layer}/weight"] = draw(given, width)
        gcn[f"layer{layer}/bias"] = draw(width)
        median[f"layer{layer}/own/weight"] = draw(given, width)
        median[f"layer{layer}/own/bias"] = draw(width)
        median[f"layer{layer}/sent/weight"] = draw(given, HIDDEN)
        median[f"layer{layer}/sent/bias"] = draw(HIDDEN)
        median[f"layer{layer}/neighbours/weight"] = draw(HIDDEN, width)
    write_safetensors("sage.safetensors", sage)
    write_safetensors("gcn.safetensors", gcn)
    write_safetensors("median.safetensors", median)
    write_safetensors("linked.safetensors", {"w": draw(FEATURES, HIDDEN)})
    write_safetensors("featured.safetensors", {name: draw(*shape) for name, shape in FEATURED_SHAPES.items()})
    np.save("edge_features.npy", random.standard_normal((len(links), EDGE_FEATURES)).astype(np.float32))
    for name, model in ("linked.json", LINKED), ("featured.json", FEATURED):
        with open(name, "w", encoding="utf-8") as file:
            json.dump(model, file)
    write_safetensors("one.safetensors", {"layer0/weight": draw(FEATURES, CLASSES), "layer0/bias": draw(CLASSES)})


def nodes_of(*calls):
    return [{"op": op, "inputs": inputs.split(), "outputs": [output], "attributes": attributes}
            for op, inputs, output, attributes in calls]


# Links: whether there is one, by the product of what both ends hear from their neighbours.
LINKED = {
    "format": "smex-model", "version": 1, "opset": 17,
    "graph": {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"},
    "inputs": [{"name": "features", "type": "f32", "shape": ["nodes", FEATURES]}],
    "parameters": [{"name": "w", "type": "f32", "shape": [FEATURES, HIDDEN], "drawn": 1}],
    "nodes": nodes_of(
        ("at_ends", "features src", "messages", {}), ("mean_messages", "messages dst features", "heard", {}),
        ("MatMul", "heard w", "h", {}), ("at_ends", "h src", "from", {}), ("at_ends", "h dst", "to", {}),
        ("Mul", "from to", "products", {}), ("sums", "products", "scores", {})),
    "operators": ["sums(x[E, D]): lambda e < E: Sum(lambda d < D: x[e, d])"],
    "outputs": [{"name": "scores", "type": "f32", "shape": ["edges"]}],
}


EDGE_FEATURES = 3
FEATURED_SHAPES = {"w0": (FEATURES, HIDDEN), "e0": (EDGE_FEATURES, HIDDEN), "w1": (HIDDEN, HIDDEN),
                   "e1": (EDGE_FEATURES, HIDDEN), "v": (EDGE_FEATURES, 1)}

# The same after two layers, whose messages have what edges have, too; so has the score.
FEATURED = {
    "format": "smex-model", "version": 1, "opset": 17,
    "graph": {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"},
    "inputs": [{"name": "features", "type": "f32", "shape": ["nodes", FEATURES]},
               {"name": "edge_features", "type": "f32", "shape": ["edges", EDGE_FEATURES]}],
    "parameters": [{"name": name, "type": "f32", "shape": list(shape), "drawn": 1}
                   for name, shape in FEATURED_SHAPES.items()],
    "nodes": nodes_of(
        ("MatMul", "features w0", "x0", {}), ("at_ends", "x0 src", "sent0", {}),
        ("MatMul", "edge_features e0", "own0", {}), ("Add", "sent0 own0", "messages0", {}),
        ("mean_messages", "messages0 dst x0", "heard0", {}), ("Tanh", "heard0", "h0", {}),
        ("MatMul", "h0 w1", "x1", {}), ("at_ends", "x1 src", "sent1", {}),
        ("MatMul", "edge_features e1", "own1", {}), ("Add", "sent1 own1", "messages1", {}),
        ("mean_messages", "messages1 dst x1", "h1", {}),
        ("at_ends", "h1 src", "from", {}), ("at_ends", "h1 dst", "to", {}), ("Mul", "from to", "products", {}),
        ("sums", "products", "sum", {}), ("MatMul", "edge_features v", "own", {}), ("sums", "own", "bias", {}),
        ("Add", "sum bias", "scores", {})),
    "operators": ["sums(x[E, D]): lambda e < E: Sum(lambda d < D: x[e, d])"],
    "outputs": [{"name": "scores", "type": "f32", "shape": ["edges"]}],
}


def give_loss(path, new):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    model["inputs"] += [{"name": "targets", "type": "f32", "shape": ["nodes", CLASSES]},
                        {"name": "in_batch", "type": "i64", "shape": ["nodes"]}]
    model["nodes"] += nodes_of(
        ("Sub", "logits targets", "differences", {}), ("Mul", "differences differences", "squares", {}),
        ("means", "squares", "errors", {}), ("Cast", "in_batch", "weights", {"to": {"type": "f32"}}),
        ("Mul", "errors weights", "weighted", {}), ("ReduceSum", "weighted", "sum", {"keepdims": 0}),
        ("ReduceSum", "weights", "count", {"keepdims": 0}), ("Div", "sum count", "loss", {}))
    model["operators"] = ["means(x[V, C]): lambda v < V: Sum(lambda c < C: x[v, c]) / C"]
    model["outputs"] = ["loss"]
    with open(new, "w", encoding="utf-8") as file:
        json.dump(model, file)


def read_graph():
    return [(int(s), int(d), float(v)) for s, d, v in (line.split() for line in open("graph.txt", encoding="utf-8"))]


def read_blocks(path):
    """For each layer, a list of (source, destination, edge, value, weight), checked against the graph."""
    graph, layers = read_graph(), {}
    for line in open(path, encoding="utf-8"):
        layer, source, destination, edge, value, weight = line.split()
        layers.setdefault(int(layer), []).append(
            (int(source), int(destination), int(edge), float(value), float(weight)))
        assert graph[int(edge)][:2] == (int(source), int(destination)), line
    return [layers.get(layer, []) for layer in range(1, max(layers) + 1)]


def check_neighbours(blocks, nodes):
    """Algorithm 2, lines 2 to 7: what each layer may have drawn. The nodes that each layer computes."""
    graph = read_graph()
    computed = [set(nodes)]
    for edges, fanout in zip(reversed(blocks), reversed(FANOUTS)):
        drawn = {}
        for source, destination, edge, _, _ in edges:
            assert destination in computed[0], (destination, "is none that the layer serves")
            assert edge not in drawn.setdefault(destination, {}), (edge, "twice")
            drawn[destination][edge] = source
        for v in computed[0]:
            degree = sum(d == v for _, d, _ in graph)
            assert len(drawn.get(v, {})) == min(fanout, degree), (v, degree, drawn.get(v))
        computed.insert(0, computed[0] | {source for source, *_ in edges})
    return computed[1:]


def relu(x):
    return np.maximum(x, 0)


def sage_by_nodes(p, blocks, nodes):
    """Algorithm 2, lines 8 to 14, a node at a time; the layer's matrix, times [own, mean], is in two parts."""
    h = {v: row for v, row in enumerate(np.load("features.npy").astype(np.float64))}
    for layer, (edges, computed) in enumerate(zip(blocks, check_neighbours(blocks, nodes))):
        new = {}
        for v in computed:
            heard = [h[source] for source, destination, *_ in edges if destination == v]
            mean = sum(heard) / len(heard) if heard else np.zeros(len(h[v]))
            new[v] = (h[v] @ p[f"layer{layer}/own/weight"] + p[f"layer{layer}/own/bias"]
                      + mean @ p[f"layer{layer}/neighbours/weight"])
            if layer + 1 < len(blocks):
                new[v] = relu(new[v])
        h = new  # what no layer has computed, the next one cannot read
    return np.array([h[v] for v in nodes])


def median_by_nodes(p, blocks, nodes):
    """The same with the median (of two, the lower one) of what neighbours send."""
    h = {v: row for v, row in enumerate(np.load("features.npy").astype(np.float64))}
    for layer, (edges, computed) in enumerate(zip(blocks, check_neighbours(blocks, nodes))):
        name, new = f"layer{layer}", {}
        for v in computed:
            heard = np.array([np.tanh(h[source] @ p[name + "/sent/weight"] + p[name + "/sent/bias"])
                              for source, destination, *_ in edges if destination == v])
            middle = np.sort(heard, axis=0)[(len(heard) - 1) // 2] if len(heard) else np.zeros(HIDDEN)
            new[v] = h[v] @ p[name + "/own/weight"] + p[name + "/own/bias"] + middle @ p[name + "/neighbours/weight"]
            if layer + 1 < len(blocks):
                new[v] = relu(new[v])
        h = new
    return np.array([h[v] for v in nodes])


def fastgcn(p, blocks, nodes):
    h = np.load("features.npy").astype(np.float64)
    for layer, edges in enumerate(blocks):
        x, new = h @ p[f"layer{layer}/weight"], np.zeros((NODES, p[f"layer{layer}/bias"].size))
        for source, destination, _, value, weight in edges:
            new[destination] += weight * value * x[source]
        h = new + p[f"layer{layer}/bias"]
        if layer + 1 < len(blocks):
            h = relu(h)
    return h[nodes]


def means(edges):
    m = np.zeros((NODES, NODES))
    for source, destination, *_ in edges:
        m[destination, source] += 1
    return m / np.maximum(m.sum(1, keepdims=True), 1)


def united(blocks):
    """For each layer, the edges of all, each once."""
    edges = {edge[2]: edge for layer in blocks for edge in layer}
    return [list(edges.values())] * len(FANOUTS)


def forward(p, blocks):
    h = np.load("features.npy").astype(np.float64)
    for layer, edges in enumerate(blocks):
        h = (h @ p[f"layer{layer}/own/weight"] + p[f"layer{layer}/own/bias"]
             + means(edges) @ h @ p[f"layer{layer}/neighbours/weight"])
        h = relu(h) if layer + 1 < len(blocks) else h
    return h


def link(w, steps, counted, targets, pass_messages):
    """Steps of gradient descent on the logistic loss of some edges, which pass messages, too, or not."""
    x, graph, losses = np.load("features.npy").astype(np.float64), read_graph(), []
    for blocks in steps:
        edges = {edge[2]: edge[:2] for layer in blocks for edge in layer}
        edges.update({e: graph[e][:2] for e in counted if pass_messages})
        a = means(edges.values()) @ x
        h, loss, g = a @ w, 0, np.zeros_like(w)
        for e in counted:
            s, d, _ = graph[e]
            score = h[s] @ h[d]
            loss += np.log1p(np.exp(score)) - score * targets[e]
            slope = 1 / (1 + np.exp(-score)) - targets[e]
            g += slope * (np.outer(a[s], h[d]) + np.outer(a[d], h[s]))
        losses.append(loss / len(counted))
        w = w - LR * g / len(counted)
    return losses, w


def featured(p, steps, counted, targets):
    """The same of `featured.json`; gradients are differences."""
    x, of_edges, graph = np.load("features.npy").astype(np.float64), np.load("edge_features.npy"), read_graph()

    def loss(p, blocks):
        h = x
        for layer, edges in enumerate(blocks):
            heard, count = np.zeros((NODES, HIDDEN)), np.zeros((NODES, 1))
            for source, destination, edge, *_ in edges:
                heard[destination] += h[source] @ p[f"w{layer}"] + of_edges[edge] @ p[f"e{layer}"]
                count[destination] += 1
            h = heard / np.maximum(count, 1)
            h = np.tanh(h) if layer + 1 < len(blocks) else h
        scores = np.array([h[graph[e][0]] @ h[graph[e][1]] + of_edges[e] @ p["v"][:, 0] for e in counted])
        return (np.log1p(np.exp(scores)) - scores * targets[counted]).mean()

    losses = []
    for blocks in steps:
        losses.append(loss(p, blocks))
        slopes = {name: np.zeros_like(values) for name, values in p.items()}
        for name, values in p.items():
            for at in np.ndindex(values.shape):
                near = []
                for step in (1e-5, -1e-5):
                    moved = {other: np.array(given) for other, given in p.items()}
                    moved[name][at] += step
                    near.append(loss(moved, blocks))
                slopes[name][at] = (near[0] - near[1]) / 2e-5
        p = {name: values - LR * slopes[name] for name, values in p.items()}
    return losses, p


def loss_of(loss, logits, labelled):
    """And its gradient: the mean over what has a label."""
    g = np.zeros_like(logits)
    if loss == "mse":
        difference = logits[labelled] - np.load("targets.npy")[labelled]
        g[labelled] = 2 * difference / difference.size
        return (difference ** 2).mean(), g
    labels = np.load("labels.npy")[labelled]
    e = np.exp(logits[labelled] - logits[labelled].max(1, keepdims=True))
    s = e / e.sum(1, keepdims=True)
    value = -np.log(s[np.arange(len(labels)), labels]).mean()
    s[np.arange(len(labels)), labels] -= 1
    g[labelled] = s / len(labels)
    return value, g


def train(p, loss, steps, labelled, is_united):
    """Steps of gradient descent, by hand: two layers, backwards along the same edges."""
    x, losses = np.load("features.npy").astype(np.float64), []
    w0, b0, v0, w1, b1, v1 = (p[f"layer{layer}/{name}"] for layer in (0, 1)
                              for name in ("own/weight", "own/bias", "neighbours/weight"))
    for blocks in steps:
        m0, m1 = map(means, blocks)
        z = x @ w0 + b0 + m0 @ x @ v0
        h = relu(z)
        logits = h @ w1 + b1 + m1 @ h @ v1
        current = {"layer0/own/weight": w0, "layer0/own/bias": b0, "layer0/neighbours/weight": v0,
                   "layer1/own/weight": w1, "layer1/own/bias": b1, "layer1/neighbours/weight": v1}
        if is_united:
            np.testing.assert_allclose(logits, forward(current, blocks), rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_allclose(logits[labelled], sage_by_nodes(current, blocks, labelled), rtol=1e-9, atol=1e-9)
        value, g = loss_of(loss, logits, labelled)
        losses.append(value)
        gh = g @ w1.T + m1.T @ g @ v1.T
        gz = gh * (z > 0)
        w1, b1, v1 = w1 - LR * h.T @ g, b1 - LR * g.sum(0), v1 - LR * (m1 @ h).T @ g
        w0, b0, v0 = w0 - LR * x.T @ gz, b0 - LR * gz.sum(0), v0 - LR * (m0 @ x).T @ gz
    return losses, {"layer0/own/weight": w0, "layer0/own/bias": b0, "layer0/neighbours/weight": v0,
                    "layer1/own/weight": w1, "layer1/own/bias": b1, "layer1/neighbours/weight": v1}


def main():
    command, *given = sys.argv[1:]
    print("seed", SEED)
    if command == "prepare":
        prepare()
    elif command in ("sage", "median", "fastgcn"):
        parameters, blocks, nodes, logits = given
        parameters, blocks, nodes = read_parameters(parameters), read_blocks(blocks), list(np.load(nodes))
        network = {"sage": sage_by_nodes, "median": median_by_nodes, "fastgcn": fastgcn}[command]
        wanted = network(parameters, blocks, nodes)
        np.testing.assert_allclose(np.load(logits), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    elif command == "given":
        give_loss(*given)
    elif command == "walked":
        parameters, blocks, nodes, logits = given
        wanted = forward(read_parameters(parameters), united(read_blocks(blocks)))[np.load(nodes)]
        np.testing.assert_allclose(np.load(logits), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    elif command in ("linked", "linked-layers", "featured"):
        metrics, saved, *files = given
        steps, counted = [read_blocks(file) for file in files], np.flatnonzero(np.load("links.npy"))
        targets = np.load("link_targets.npy").astype(np.float64)
        if command == "featured":
            first = read_parameters("featured.safetensors")
            losses, wanted = featured(first, steps, counted, targets)
        else:
            first = read_parameters("linked.safetensors")
            losses, w = link(first["w"], steps, counted, targets, command == "linked")
            wanted = {"w": w}
        mine = [step["loss"] for step in json.load(open(metrics, encoding="utf-8"))["steps"]]
        np.testing.assert_allclose(mine, losses, rtol=1e-4)
        assert len(set(losses)) == len(files), losses
        for name, values in wanted.items():
            assert np.abs(values - first[name]).max() > 0.02, name
            np.testing.assert_allclose(read_parameters(saved)[name], values, rtol=1e-3,
                                       atol=1e-4 * np.abs(values).max(), err_msg=name)
    elif command in ("trained", "united"):
        loss, nodes, metrics, saved, *files = given
        is_united, nodes = command == "united", np.load(nodes)
        steps = [read_blocks(file) for file in files]
        losses, wanted = train(read_parameters("sage.safetensors"), loss, list(map(united, steps)) if is_united else steps,
                               nodes, is_united)
        mine = [step["loss"] for step in json.load(open(metrics, encoding="utf-8"))["steps"]]
        np.testing.assert_allclose(mine, losses, rtol=1e-4)
        assert abs(losses[-1] - losses[0]) > 0.05, losses
        found = read_parameters(saved)
        for name, values in wanted.items():
            np.testing.assert_allclose(found[name], values, rtol=1e-3, atol=1e-4 * np.abs(values).max(), err_msg=name)
        # Layers draw for themselves, and each step anew.
        drawn = [[frozenset(edge[2] for edge in layer if edge[1] in nodes) for layer in blocks] for blocks in steps]
        assert len({layer for blocks in drawn for layer in blocks}) == 2 * len(files), drawn
    elif command == "full":
        logits, draws = np.load(given[0]), int(given[1])
        p, matrix = read_parameters("one.safetensors"), np.zeros((NODES, NODES))
        for source, destination, value in read_graph():
            matrix[destination, source] += value
        x = np.load("features.npy").astype(np.float64) @ p["layer0/weight"]
        nodes = np.load("nodes.npy")
        exact = matrix[nodes] @ x + p["layer0/bias"]
        # A draw's variance is at most its second moment, the sum of (A(v, u) x(u))^2 / q(u).
        squares = np.zeros(NODES)
        for source, _, value in read_graph():
            squares[source] += value * value
        q = np.maximum(squares / squares.sum(), 1e-300)
        deviation = np.sqrt((matrix[nodes] ** 2 / q) @ x ** 2 / draws)
        assert (np.abs(logits - exact) <= 5 * deviation + 1e-4).all(), np.abs(logits - exact) / deviation
        assert np.abs(logits - exact).max() < 0.1 * np.abs(exact).max()


main()
