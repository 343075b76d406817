"""Operators of graph networks by their definitions, a node or an edge after the other, in NumPy and float64.

Where a number decides something (an element of a set, the larger of two), it must not be close to a tie: f32 would decide
otherwise. Nor may steps of training lead far away, where f32 has too few digits. `Close` then asks for another model.
"""

import numpy as np

MARGIN = 1e-3


class Close(Exception):
    """Two numbers are too close to tell which is the larger one; or numbers are too large."""


def apart(numbers):
    """The numbers, none of which is near 0."""
    if np.size(numbers) and np.min(np.abs(numbers)) < MARGIN:
        raise Close
    return numbers


def ordered(numbers):
    """Places by descending number; no two are near each other."""
    order = np.argsort(-np.asarray(numbers), kind="stable")
    apart(np.diff(np.asarray(numbers)[order]))
    return order


def into(ends, v):
    return np.nonzero(ends == v)[0]


def reduced(m, ends, x, how):
    """What `how` makes of the messages of each node; 0 where there is none."""
    result = np.zeros((len(x), *m.shape[1:]))
    for v in range(len(x)):
        if len(into(ends, v)):
            result[v] = how(m[into(ends, v)])
    return result


def largest(m):
    """Along the first axis; equal messages are those of equal nodes, and move together."""
    gap = m.max(0) - m
    apart(gap[gap > 0])
    return m.max(0)


def rows_at(x, at):
    inside = (at >= 0) & (at < len(x))
    return np.where(inside.reshape(-1, *[1] * (x.ndim - 1)), x[np.clip(at, 0, max(len(x) - 1, 0))], 0)


def softmax(s):
    e = np.exp(s - s.max(0))
    return e / e.sum(0)


def softmax_of_edges(s, ends, x):
    p = np.zeros_like(s)
    for v in range(len(x)):
        if len(into(ends, v)):
            p[into(ends, v)] = softmax(s[into(ends, v)])
    return p


def scores_of_edges(x, left, right, src, ends, alpha=0.2):
    """That of an edge without an end is not defined; nothing may read it."""
    s = np.zeros((len(src), x.shape[1]))
    for e in np.nonzero(ends >= 0)[0]:
        s[e] = apart((x[src[e]] * left).sum(-1) + (x[ends[e]] * right).sum(-1))
    return np.where(s >= 0, s, alpha * s)


def weighted_messages(p, x, src, ends):
    return reduced(p.reshape(*p.shape, *[1] * (x.ndim - p.ndim)) * x[src], ends, x, lambda m: m.sum(0))


def graph_attention(x, left, right, src, ends):
    return weighted_messages(softmax_of_edges(scores_of_edges(x, left, right, src, ends), ends, x), x, src, ends)


def transformer_attention(q, k, x, u, w, src, ends, scale=1.0):
    of_edge = np.einsum("ed,dhf->ehf", u, w)
    s = np.zeros((len(src), q.shape[1]))
    for e in np.nonzero(ends >= 0)[0]:
        s[e] = scale * (q[ends[e]] * (k[src[e]] + of_edge[e])).sum(-1)
    p = softmax_of_edges(s, ends, q)
    return reduced(p[..., None] * (x[src] + of_edge), ends, q, lambda m: m.sum(0))


def graph_convolution(x, src, ends):
    n = np.sqrt(np.maximum([len(into(ends, v)) for v in range(len(x))], 1))[:, None]
    return reduced((x / n)[src], ends, x, lambda m: m.sum(0)) / n


def weighted_graph_convolution(x, w, src, ends):
    n = np.array([w[into(ends, v)].sum() for v in range(len(x))])
    k = np.where(n > 0, 1 / np.sqrt(np.where(n > 0, n, 1)), 0)[:, None]
    return reduced(w[:, None] * (x * k)[src], ends, x, lambda m: m.sum(0)) * k


def mean_of_others(x, src, ends):
    return reduced(x[src], np.where(src == ends, -1, ends), x, lambda m: m.mean(0))


def places(of_set):
    return np.where(of_set, np.cumsum(of_set) - 1, -1)


def nodes_at_places(place, graphs=0, part=1, whole=1):
    nodes = np.full((len(place) * part + graphs * (whole - 1)) // whole, -1)
    for v in np.nonzero(place >= 0)[0]:
        nodes[place[v]] = v
    return nodes


def rename_edges(src, ends, place):
    s, d = (np.where(e >= 0, place[e], -1) for e in (src, ends))
    return np.where(d >= 0, s, -1), np.where(s >= 0, d, -1)


def distinct_edges(src, ends, _):
    seen, kept = set(), []
    for edge in zip(src.tolist(), ends.tolist()):
        kept.append(min(edge) >= 0 and edge not in seen)
        seen.add(edge)
    return np.where(kept, src, -1), np.where(kept, ends, -1)


def top_nodes(score, of, graphs):
    """Of the only graph, half of the nodes, one more of an odd number."""
    return np.isin(np.arange(len(score)), ordered(score)[:(len(score) + 1) // 2])


def match_edges(score, src, ends, match):
    """One round: edges that are the best at both of their ends, of equal ones the first."""
    free = [e for e in range(len(src)) if min(src[e], ends[e]) >= 0 and max(match[src[e]], match[ends[e]]) < 0]
    gaps = np.subtract.outer(score[free], score[free])
    apart(gaps[gaps != 0])
    best = {}
    for e in sorted(free, key=lambda e: (-score[e], e)):
        for v in (src[e], ends[e]):
            best.setdefault(v, e)
    result = match.copy()
    for v, e in best.items():
        if best[src[e]] == best[ends[e]] == e:
            result[v] = e
    return result


def contracted_nodes(match, src, ends, of):
    first = [min(src[e], ends[e]) if e >= 0 else v for v, e in enumerate(match)]
    numbers = {v: r for r, v in enumerate(sorted(set(first)))}
    return np.array([numbers[v] for v in first])


def cell(z, c):
    """Gates in ONNX's order: input, output, forget, cell."""
    i, o, f, g = np.split(z, 4)
    sigmoid = lambda t: 1 / (1 + np.exp(-t))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def lstm_of(m, w, r):
    h = c = np.zeros(r.shape[-1])
    for x in m:
        h, c = cell(w[0] @ x + r[0] @ h, c)
    return h


def median_of(m):
    if not len(m):
        return np.zeros(m.shape[1:])
    s = np.sort(m, 0)
    apart(np.diff(s, axis=0)[np.diff(s, axis=0) > 0])
    return s[(len(m) - 1) // 2]


def top_of(m, keys, k):
    """Equal messages have equal keys, and which of these comes first does not matter."""
    result = np.zeros((k, *m.shape[1:]))
    different = np.unique(keys)
    ordered(different)
    order = np.argsort(-keys, kind="stable")[:k]
    result[:len(order)] = m[order]
    return result


def attention_of(m, q):
    """Of a query to the messages."""
    return softmax(m @ q) @ m if len(m) else np.zeros(m.shape[1:])


# Of a node's messages, in the order of its edges, and weights: what a body of `mailbox` says below.
REDUCERS = {
    "mean": (lambda m: m.mean(0) if len(m) else np.zeros(m.shape[1:]), []),
    "median": (median_of, []),
    "top": (lambda m: (np.array([[1], [0.5], [-2]]) * top_of(m, m[:, -1], 3)).sum(0), []),
    "attention": (attention_of, ["q"]),
    "LSTM": (lstm_of, ["lstm_w", "lstm_r"]),
}

DEFINITIONS = {
    "MatMul": lambda a, b: a @ b,
    "Add": lambda a, b: a + b,
    "Mul": lambda a, b: a * b,
    "Tanh": np.tanh,
    "Or": np.logical_or,
    "Not": np.logical_not,
    "at_ends": lambda x, ends: x[np.where((ends >= 0) & (ends < len(x)), ends, len(x) - 1)],
    "rows_at": rows_at,
    "sum_messages": lambda m, ends, x: reduced(m, ends, x, lambda m: m.sum(0)),
    "prod_messages": lambda m, ends, x: np.array([m[into(ends, v)].prod(0) for v in range(len(x))]),
    "mean_messages": lambda m, ends, x: reduced(m, ends, x, lambda m: m.mean(0)),
    "max_messages": lambda m, ends, x: reduced(m, ends, x, largest),
    "min_messages": lambda m, ends, x: reduced(m, ends, x, lambda m: -largest(-m)),
    "softmax_of_edges": softmax_of_edges,
    "scores_of_edges": scores_of_edges,
    "weighted_messages": weighted_messages,
    "graph_attention": graph_attention,
    "transformer_attention": transformer_attention,
    "graph_convolution": graph_convolution,
    "weighted_graph_convolution": weighted_graph_convolution,
    "mean_of_others": mean_of_others,
    "edge_conditioned_messages": lambda x, w, src: np.einsum("ef,efo->eo", x[src], w),
    "send_edges": lambda dst, of_set: np.where(of_set, dst, -1),
    "push_edges": lambda src, dst, of_set: np.where(of_set[src], dst, -1),
    "pull_edges": lambda dst, of_set: np.where(of_set[dst], dst, -1),
    "receivers": lambda ends, x: np.array([len(into(ends, v)) > 0 for v in range(len(x))]),
    "update_nodes": lambda y, x, of_set: np.where(of_set[:, None], y, x),
    "places": places,
    "nodes_at_places": nodes_at_places,
    "update_places": lambda y, x, place: np.where((place >= 0)[:, None], rows_at(y, place), x),
    "rename_edges": rename_edges,
    "distinct_edges": distinct_edges,
    "top_nodes": top_nodes,
    "match_edges": match_edges,
    "contracted_nodes": contracted_nodes,
    # Operators of the models themselves.
    "rows_of": lambda x: x[:, 0],
    "one_graph": lambda x: np.zeros(len(x), int),
    "no_match": lambda x: np.full(len(x), -1),
    "with_one_more": lambda x: np.concatenate([x, np.tanh(x.mean(0, keepdims=True))]),
    "one_less": lambda x: x[:-1],
    # Edges from each node of a set to one that was added, behind all others.
    "more_sources": lambda src, of_set: np.concatenate([src, np.where(of_set, np.arange(len(of_set)), -1)]),
    "more_ends": lambda dst, of_set: np.concatenate([dst, np.where(of_set, len(of_set), -1)]),
    "more_rows": lambda u, x: np.concatenate([u, x[:, :u.shape[1]]]),
    "chosen": lambda x: apart(x.sum(-1)) > 0,
    "heads": lambda x: x.reshape(len(x), 2, -1),
    "together": lambda x: x.reshape(len(x), -1),
    "matrices": lambda x, w: np.einsum("ed,dfo->efo", x, w),
    "positive": lambda x: np.exp(x[:, 0]),
    "halves": lambda x: np.arange(len(x)) // 2,
}
