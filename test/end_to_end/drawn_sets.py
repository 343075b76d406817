#!/usr/bin/env python3
"""Random models of sets of nodes and edges and of graphs that a model changes, evaluated and trained, against the
definition of each operator in NumPy, whose gradients are differences of losses: on 3 workers, every second model on 1,
too. Each operator comes up once for certain.

usage: drawn_sets.py SMEXC SMEX_RUN [SEED [MODELS]]
"""

import sys
from typing import NamedTuple

import numpy as np

from set_definitions import REDUCERS, Close
from set_models import Case, Model

FEATURES, OF_EDGE = 3, 2


class Edges(NamedTuple):
    """Names of what edges have: the nodes that they come from and lead to, and features."""
    src: str
    dst: str
    u: str


def all_edges(model, x, edges):
    return edges.dst


def pushed(model, x, edges):
    return model.add("push_edges", edges.src, edges.dst, node_set(model, x))


def pulled(model, x, edges):
    return model.add("pull_edges", edges.dst, node_set(model, x))


def sent(model, x, edges):
    return model.add("send_edges", edges.dst, model.add("chosen", edges.u))


def pushed_and_sent(model, x, edges):
    return sent(model, x, edges._replace(dst=pushed(model, x, edges)))


def not_reached(model, x, edges):
    reached = model.add("receivers", pushed(model, x, edges), x)
    return model.add("pull_edges", edges.dst, model.add("Not", reached))


SETS = [all_edges, pushed, pulled, sent, pushed_and_sent, not_reached]


def node_set(model, x):
    return model.add("chosen", model.add("Add", model.dense(x, FEATURES, 2), model.weight(2)))


def messages(model, x, edges):
    m = model.add("rows_at", model.dense(x, FEATURES, FEATURES), edges.src)
    if model.random.integers(2):
        m = model.add("Add", m, model.dense(edges.u, OF_EDGE, FEATURES))
    return model.add("Tanh", m)


def reduced(how):
    return lambda model, x, edges: model.add(how, messages(model, x, edges), edges.dst, x)


def in_mailbox(reducer):
    def make(model, x, edges):
        width = {"width": int(model.random.integers(1, 4))} if model.random.integers(3) == 0 else {}
        return model.mailbox(reducer, messages(model, x, edges), edges.dst, x, **width)
    return make


def of_heads(make):
    """Two heads of two features."""
    def whole(model, x, edges):
        y = model.add("heads", model.dense(x, FEATURES, 4))
        return model.dense(model.add("together", make(model, x, y, *edges)), 4, FEATURES)
    return whole


def graph_attention(model, x, y, src, dst, u):
    return model.add("graph_attention", y, model.weight(2, 2), model.weight(2, 2), src, dst)


def attention_in_parts(model, x, y, src, dst, u):
    s = model.add("scores_of_edges", y, model.weight(2, 2), model.weight(2, 2), src, dst)
    return model.add("weighted_messages", model.add("softmax_of_edges", s, dst, x), y, src, dst)


def attention_of_edges(model, x, y, src, dst, u):
    s = model.dense(u, OF_EDGE, 2)
    return model.add("weighted_messages", model.add("softmax_of_edges", s, dst, x), y, src, dst)


def transformer_attention(model, x, y, src, dst, u):
    k = model.add("heads", model.dense(x, FEATURES, 4))
    return model.add("transformer_attention", y, k, y, u, model.weight(OF_EDGE, 2, 2), src, dst)


def weighted(model, x, edges):
    return model.add("weighted_messages", model.add("positive", edges.u), x, edges.src, edges.dst)


def convolution(model, x, edges):
    return model.add("graph_convolution", model.dense(x, FEATURES, FEATURES), edges.src, edges.dst)


def weighted_convolution(model, x, edges):
    w = model.add("positive", edges.u)
    return model.add("weighted_graph_convolution", model.dense(x, FEATURES, FEATURES), w, edges.src, edges.dst)


def mean_of_others(model, x, edges):
    return model.add("mean_of_others", model.dense(x, FEATURES, FEATURES), edges.src, edges.dst)


def conditioned(model, x, edges):
    w = model.add("matrices", edges.u, model.weight(OF_EDGE, FEATURES, FEATURES))
    return model.add("sum_messages", model.add("edge_conditioned_messages", x, w, edges.src), edges.dst, x)


LAYERS = {
    **{how: reduced(how + "_messages") for how in ("sum", "mean", "max", "min", "prod")},
    **{"mailbox " + reducer: in_mailbox(reducer) for reducer in REDUCERS},
    "graph attention": of_heads(graph_attention), "attention in parts": of_heads(attention_in_parts),
    "attention of edges": of_heads(attention_of_edges), "transformer attention": of_heads(transformer_attention),
    "weighted": weighted, "convolution": convolution, "weighted convolution": weighted_convolution,
    "mean of others": mean_of_others, "conditioned": conditioned,
}


def update_receivers(model, new, x, ends):
    return model.add("update_nodes", new, x, model.add("receivers", ends, x))


def update_set(model, new, x, ends):
    return model.add("update_nodes", new, x, node_set(model, x))


def add_all(model, new, x, ends):
    return model.add("Add", model.add("Tanh", new), x)


def update_some(model, new, x, ends):
    """Only the nodes that messages reach compute more."""
    place = model.add("places", model.add("receivers", ends, x))
    rows = model.add("rows_at", new, model.add("nodes_at_places", place))
    return model.add("update_places", model.add("Tanh", model.dense(rows, FEATURES, FEATURES)), x, place)


UPDATES = [update_receivers, update_set, add_all, update_some]


def unchanged(model, x, layer):
    return layer(x, GIVEN)


def renamed(model, place):
    return Edges(*model.pair("rename_edges", "src", "dst", place), "u")


def contracted(model, x, layer):
    """Pairs of nodes are one for a layer."""
    place = model.add("halves", x)
    y, edges = model.add("sum_messages", x, place, x), renamed(model, place)
    if model.random.integers(2):
        edges = Edges(*model.pair("distinct_edges", edges.src, edges.dst, y), "u")
    return model.add("Add", x, model.add("rows_at", layer(y, edges), place))


def pooled(model, x, layer):
    """A layer of the nodes of a set and of the edges between them."""
    place = model.add("places", node_set(model, x))
    y = model.add("rows_at", x, model.add("nodes_at_places", place))
    return model.add("update_places", layer(y, renamed(model, place)), x, place)


def best_pooled(model, x, layer):
    """The same of half of the nodes, those with the largest scores."""
    top = model.add("top_nodes", model.add("rows_of", model.dense(x, FEATURES, 1)), model.add("one_graph", x), graphs=1)
    place = model.add("places", top)
    y = model.add("rows_at", x, model.add("nodes_at_places", place, graphs=1, whole=2))
    return model.add("update_places", layer(y, renamed(model, place)), x, place)


def edges_contracted(model, x, layer):
    """Nodes that an edge with a large score joins are one for a layer."""
    match = model.add("no_match", x)
    score = model.add("rows_of", model.add("rows_at", model.dense(x, FEATURES, 1), "src"))
    for _ in range(2):
        match = model.add("match_edges", score, "src", "dst", match)
    place = model.add("contracted_nodes", match, "src", "dst", model.add("one_graph", x))
    y = model.add("sum_messages", x, place, x)
    return model.add("Add", x, model.add("rows_at", layer(y, renamed(model, place)), place))


def grown(model, x, layer):
    """One more node, which the nodes of a set lead to."""
    some = node_set(model, x)
    edges = Edges(model.add("more_sources", "src", some), model.add("more_ends", "dst", some),
                  model.add("more_rows", "u", x))
    return model.add("one_less", layer(model.add("with_one_more", x), edges))


GIVEN = Edges("src", "dst", "u")
CHANGES = [unchanged, unchanged, contracted, pooled, best_pooled, edges_contracted, grown]


def draw(random, layers):
    model, x, words = Model(random), "x", []
    for each in layers:
        change, of_set, update = (some[random.integers(len(some))] for some in (CHANGES, SETS, UPDATES))

        def layer(y, edges):
            edges = edges._replace(dst=of_set(model, y, edges))
            return update(model, LAYERS[each](model, y, edges), y, edges.dst)

        x = change(model, x, layer)
        words.append(f"{each} ({change.__name__}, {of_set.__name__}, {update.__name__})")
    output = model.dense(x, FEATURES, 2)
    few = random.integers(5) == 0
    nodes = random.integers(1, 5) if few else random.integers(5, 9)
    count = random.integers(0, 6) if few else random.integers(6, 15)
    # Nothing leads to the last node of several, in the graph itself.
    ends = zip(random.integers(nodes, size=count), random.integers(max(nodes - 1, 1), size=count))
    edges = sorted(((int(s), int(d)) for s, d in ends), key=lambda edge: (edge[1], edge[0]))
    given = {"x": random.normal(0, 1, (nodes, FEATURES)), "u": random.normal(0, 1, (count, OF_EDGE))}
    given = {name: value.astype(np.float32) for name, value in given.items() if name != "u" or uses(model, "u")}
    labels = random.normal(0, 1, (nodes, 2)).astype(np.float32)
    return Case(model, output, given, edges, labels), f"{', '.join(words)}; {nodes} nodes, {count} edges"


def uses(model, name):
    return any(name in each["inputs"] for each in model.nodes)


def main(smexc, run, seed=1, models=None):
    random = np.random.default_rng(int(seed))
    print("seed", seed)
    left = list(random.permutation(list(LAYERS)))
    made = 0
    while left if models is None else made < int(models):
        layers = left[:2] if left else list(random.choice(list(LAYERS), 2))
        try:
            case, what = draw(random, layers)
        except Close:
            continue
        left = left[2:]
        print(f"model {made}: {what}", flush=True)
        case.write()
        case.compare_trained(smexc, run, what, 3)
        if made % 2 == 0:
            case.compare_trained(smexc, run, what, 1, ("cpu", "reference"))
        made += 1


main(*sys.argv[1:])
