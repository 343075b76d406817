#!/usr/bin/env python3
"""Random models of sets of nodes and edges and of graphs that a model changes, evaluated and trained, against the
definition of each operator in NumPy, whose gradients are differences of losses: on 3 workers, every second model on 1, too. Each operator comes up once for
certain.

usage: drawn_sets.py SMEXC SMEX_RUN [SEED [MODELS]]
"""

import sys

import numpy as np

from set_models import REDUCERS, Case, Close, Model

NODES, EDGES, FEATURES, OF_EDGE = 6, 11, 3, 2


def all_edges(model, x, src, dst):
    return dst


def pushed(model, x, src, dst):
    return model.add("push_edges", src, dst, node_set(model, x))


def pulled(model, x, src, dst):
    return model.add("pull_edges", dst, node_set(model, x))


def sent(model, x, src, dst):
    return model.add("send_edges", dst, model.add("chosen", "u"))


def pushed_and_sent(model, x, src, dst):
    return sent(model, x, src, pushed(model, x, src, dst))


def not_reached(model, x, src, dst):
    reached = model.add("receivers", pushed(model, x, src, dst), x)
    return model.add("pull_edges", dst, model.add("Not", reached))


SETS = [all_edges, pushed, pulled, sent, pushed_and_sent, not_reached]


def node_set(model, x):
    return model.add("chosen", model.add("Add", model.dense(x, FEATURES, 2), model.weight(2)))


def messages(model, x, src, of_edges):
    m = model.add("rows_at", model.dense(x, FEATURES, FEATURES), src)
    if of_edges:
        m = model.add("Add", m, model.dense("u", OF_EDGE, FEATURES))
    return model.add("Tanh", m)


def reduced(how):
    def make(model, x, src, ends):
        return model.add(how, messages(model, x, src, model.random.integers(2)), ends, x)
    return make


def in_mailbox(reducer):
    def make(model, x, src, ends):
        width = {"width": int(model.random.integers(1, 4))} if model.random.integers(3) == 0 else {}
        return model.mailbox(reducer, messages(model, x, src, model.random.integers(2)), ends, x, **width)
    return make


def of_heads(make):
    """Two heads of two features."""
    def whole(model, x, src, ends):
        y = model.add("heads", model.dense(x, FEATURES, 4))
        return model.dense(model.add("together", make(model, x, y, src, ends)), 4, FEATURES)
    return whole


def graph_attention(model, _, y, src, ends):
    return model.add("graph_attention", y, model.weight(2, 2), model.weight(2, 2), src, ends)


def attention_in_parts(model, x, y, src, ends):
    s = model.add("scores_of_edges", y, model.weight(2, 2), model.weight(2, 2), src, ends)
    return model.add("weighted_messages", model.add("softmax_of_edges", s, ends, x), y, src, ends)


def attention_of_edges(model, x, y, src, ends):
    s = model.dense("u", OF_EDGE, 2)
    return model.add("weighted_messages", model.add("softmax_of_edges", s, ends, x), y, src, ends)


def transformer_attention(model, x, y, src, ends):
    k = model.add("heads", model.dense(x, FEATURES, 4))
    return model.add("transformer_attention", y, k, y, "u", model.weight(OF_EDGE, 2, 2), src, ends)


def weighted(model, x, src, ends):
    return model.add("weighted_messages", model.add("positive", "u"), x, src, ends)


def convolution(model, x, src, ends):
    return model.add("graph_convolution", model.dense(x, FEATURES, FEATURES), src, ends)


def weighted_convolution(model, x, src, ends):
    return model.add("weighted_graph_convolution", model.dense(x, FEATURES, FEATURES), model.add("positive", "u"), src, ends)


def mean_of_others(model, x, src, ends):
    return model.add("mean_of_others", model.dense(x, FEATURES, FEATURES), src, ends)


def conditioned(model, x, src, ends):
    w = model.add("matrices", "u", model.weight(OF_EDGE, FEATURES, FEATURES))
    return model.add("sum_messages", model.add("edge_conditioned_messages", x, w, src), ends, x)


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
    return layer(x, "src", "dst")


def contracted(model, x, layer):
    """Pairs of nodes are one for a layer."""
    place = model.add("halves", x)
    ends = model.pair("rename_edges", "src", "dst", place)
    y = model.add("sum_messages", x, place, x)
    if model.random.integers(2):
        ends = model.pair("distinct_edges", *ends, y)
    return model.add("Add", x, model.add("rows_at", layer(y, *ends), place))


def pooled(model, x, layer):
    """A layer of the nodes of a set and of the edges between them."""
    place = model.add("places", node_set(model, x))
    y = model.add("rows_at", x, model.add("nodes_at_places", place))
    return model.add("update_places", layer(y, *model.pair("rename_edges", "src", "dst", place)), x, place)


CHANGES = [unchanged, unchanged, contracted, pooled]


def draw(random, layers):
    model, x, words = Model(random), "x", []
    for each in layers:
        change, of_set, update = (some[random.integers(len(some))] for some in (CHANGES, SETS, UPDATES))

        def layer(y, src, dst):
            ends = of_set(model, y, src, dst)
            return update(model, LAYERS[each](model, y, src, ends), y, ends)

        x = change(model, x, layer)
        words.append(f"{each} ({change.__name__}, {of_set.__name__}, {update.__name__})")
    output = model.dense(x, FEATURES, 2)
    given = {"x": random.normal(0, 1, (NODES, FEATURES)), "u": random.normal(0, 1, (EDGES, OF_EDGE))}
    # Nothing leads to the last node, in the graph itself.
    edges = [(int(s), int(d)) for s, d in zip(random.integers(NODES, size=EDGES - 1), random.integers(NODES - 1, size=EDGES - 1))]
    edges = sorted([*edges, (NODES - 1, 0)], key=lambda edge: (edge[1], edge[0]))
    given = {name: value.astype(np.float32) for name, value in given.items() if name != "u" or uses(model, "u")}
    return Case(model, output, given, edges, random.normal(0, 1, (NODES, 2)).astype(np.float32)), ", ".join(words)


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
