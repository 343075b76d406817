"""JSON models of graph networks, evaluated by the definition of each operator, a node or an edge after the other, in NumPy
and float64; and what smexc and smex-run make of them, compared with that.

Where a number decides something (an element of a set, the larger of two), it must not be close to a tie: f32 would decide
otherwise. Nor may steps of training lead far away, where f32 has too few digits. `Close` then asks for another model.
"""

import json
import subprocess

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
    free = [e for e in range(len(src)) if src[e] != ends[e] and min(src[e], ends[e]) >= 0
            and max(match[src[e]], match[ends[e]]) < 0]
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
OPERATORS = [
    "chosen(x[V, F]):",
    "    s = lambda v < V: Sum(lambda f < F: x[v, f])",
    "    return lambda v < V: s[v] > 0",
    "heads(x[V, J]): lambda v < V, h < 2, f < J // 2: x[v, h * (J // 2) + f]",
    "together(x[V, H, F]): lambda v < V, j < H * F: x[v, j // F, j % F]",
    "matrices(u[E, D], w[D, F, O]): lambda e < E, f < F, o < O: Sum(lambda d < D: u[e, d] * w[d, f, o])",
    "positive(u[E, D]): lambda e < E: exp(u[e, 0])",
    "halves(x[V, F]): lambda v < V: v // 2",
    "rows_of(x[V, F]): lambda v < V: x[v, 0]",
    "one_graph(x[V, F]): lambda v < V: i64(0)",
    "no_match(x[V, F]): lambda v < V: i64(-1)",
    "with_one_more(x[V, F]):",
    "    s = lambda f < F: Sum(lambda v < V: x[v, f])",
    "    return lambda v < V + 1, f < F: (x[v, f] else 0) if v < V else tanh(s[f] / V)",
    "one_less(x[V, F]): lambda v < V - 1, f < F: x[v, f]",
    "more_sources(src[E], s[V]): lambda e < E + V: (src[e] else 0) if e < E else (e - E if (s[e - E] else false) else -1)",
    "more_ends(dst[E], s[V]): lambda e < E + V: (dst[e] else 0) if e < E else (V if (s[e - E] else false) else -1)",
    "more_rows(u[E, D], x[V, F]): lambda e < E + V, d < D: (u[e, d] else 0) if e < E else (x[e - E, d] else 0)",
    "mean_of(m[N, W, F], len[N]):",
    "    s = lambda n < N, f < F: Sum(lambda j < W: m[n, j, f] where j < i64(len[n]))",
    "    return lambda n < N, f < F: s[n, f] / cast(max(len[n], 1), m)",
    "last_of(m[N, W, F]): lambda n < N, j < W: m[n, j, F - 1]",
    "weigh(t[N, K, F]): lambda n < N, f < F: t[n, 0, f] + 0.5 * t[n, 1, f] - 2 * t[n, 2, f]",
    "asked(m[N, W, F], q[F]): lambda n < N, j < W: Sum(lambda f < F: m[n, j, f] * q[f])",
    "heard(p[N, W], m[N, W, F]): lambda n < N, f < F: Sum(lambda j < W: p[n, j] * m[n, j, f])",
    "first_of(h[D, N, F]): lambda n < N, f < F: h[0, n, f]",
]


def node(op, inputs, *outputs, **attributes):
    result = {"op": op, "inputs": inputs, "outputs": list(outputs)}
    return {**result, "attributes": attributes} if attributes else result


def body(reducer):
    """The nodes that make one of `m`, the messages of some nodes, of which each has `len`."""
    nodes = {
        "mean": [node("mean_of", ["m", "len"], "r")],
        "median": [node("median_of_mailbox", ["m", "len"], "r")],
        "top": [node("last_of", ["m"], "key"), node("top_of_mailbox", ["m", "key", "len"], "t", k=3),
                node("weigh", ["t"], "r")],
        "attention": [node("asked", ["m", "q"], "s"), node("softmax_of_mailbox", ["s", "len"], "p"),
                      node("heard", ["p", "m"], "r")],
        "LSTM": [node("Transpose", ["m"], "t", perm=[1, 0, 2]),
                 {"op": "LSTM", "inputs": ["t", "lstm_w", "lstm_r", "", "len"], "outputs": ["", "h"],
                  "attributes": {"hidden_size": 3}},
                 node("first_of", ["h"], "r")],
    }[reducer]
    return nodes


def mailbox(reducer, messages, ends, x, output, **attributes):
    """`x` is handed to the body, which adds it."""
    nodes = [*body(reducer), node("Add", ["r", "own"], "sum")]
    return {"op": "reduce_mailboxes_at", "inputs": [messages, ends, x], "outputs": [output], "reducer": reducer,
            "attributes": {"reduce": {"graph": {"inputs": ["m", "len", "own"], "nodes": nodes, "outputs": ["sum"]}},
                           **attributes}}


def evaluate(nodes, values):
    """Adds what nodes give to the values that are known."""
    for each in nodes:
        operands = [values[name] for name in each["inputs"]]
        if each["op"] == "reduce_mailboxes_at":
            m, ends, x = operands
            reduce, weights = REDUCERS[each["reducer"]]
            most = each["attributes"].get("width", len(m))
            found = x + np.array([reduce(m[into(ends, v)][:most], *(values[w] for w in weights)) for v in range(len(x))])
        else:
            found = DEFINITIONS[each["op"]](*operands, **each.get("attributes", {}))
        for name, result in zip(each["outputs"], found if isinstance(found, tuple) else (found,)):
            values[name] = result
    return values


def trained(loss, parameters, rate, steps):
    """The losses and then the parameters of gradient descent, by differences."""
    parameters = {name: value.astype(np.float64) for name, value in parameters.items()}
    losses = []
    for _ in range(steps):
        losses.append(loss(parameters))
        gradients = {name: np.zeros_like(value) for name, value in parameters.items()}
        for name, value in parameters.items():
            for at in np.ndindex(value.shape):
                kept, sides = value[at], []
                for by in (1e-5, -1e-5):
                    value[at] = kept + by
                    sides.append(loss(parameters))
                value[at] = kept
                gradients[name][at] = (sides[0] - sides[1]) / 2e-5
        for name, value in parameters.items():
            value -= rate * gradients[name]
    return losses, parameters


def write_model(path, nodes, parameters, inputs, output):
    nodes = [{key: value for key, value in each.items() if key != "reducer"} for each in nodes]
    model = {
        "format": "smex-model", "version": 1, "opset": 17,
        "graph": {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"},
        "inputs": [{"name": name, "type": "f32", "shape": shape} for name, shape in inputs.items()],
        "parameters": [{"name": name, "type": "f32", "shape": list(value.shape), "drawn": 0.5}
                       for name, value in parameters.items()],
        "operators": OPERATORS, "nodes": nodes, "outputs": [output],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file, indent=1)


def write_edges(path, nodes, edges):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate pattern general\n{nodes} {nodes} {len(edges)}\n")
        file.writelines(f"{s + 1} {d + 1}\n" for s, d in edges)


def save(path, values):
    """As .safetensors."""
    header, data = {}, b""
    for name, value in values.items():
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header, data = json.loads(data[8:8 + size]), data[8 + size:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


class Model:
    """A model while it is put together: its nodes, and its weights with their values."""

    def __init__(self, random):
        self.random, self.nodes, self.parameters = random, [], {}

    def weight(self, *shape, name=None):
        name = name or f"w{len(self.parameters)}"
        if name not in self.parameters:
            self.parameters[name] = self.random.normal(0, 0.7, shape).astype(np.float32)
        return name

    def name(self):
        return f"t{len(self.nodes)}"

    def add(self, op, *inputs, **attributes):
        self.nodes.append(node(op, list(inputs), self.name(), **attributes))
        return self.nodes[-1]["outputs"][0]

    def pair(self, op, *inputs):
        name = self.name()
        self.nodes.append(node(op, list(inputs), name, name + "b"))
        return name, name + "b"

    def dense(self, x, inner, outer):
        return self.add("MatMul", x, self.weight(inner, outer))

    def mailbox(self, reducer, messages, ends, x, **attributes):
        features = 3
        shapes = {"q": (features,), "lstm_w": (1, 4 * features, features), "lstm_r": (1, 4 * features, features)}
        for weight in REDUCERS[reducer][1]:
            self.weight(*shapes[weight], name=weight)
        self.nodes.append(mailbox(reducer, messages, ends, x, self.name(), **attributes))
        return self.nodes[-1]["outputs"][0]


class Case:
    """A model and what it is given, with what it gives by definition."""

    def __init__(self, model, output, given, edges, labels, rate=0.2, steps=2):
        self.model, self.output, self.given, self.edges, self.labels = model, output, given, edges, labels
        self.rate, self.steps = rate, steps
        self.expected = self.forward(model.parameters)
        self.losses, self.after = trained(
            lambda now: np.mean((self.forward(now) - labels) ** 2), model.parameters, rate, steps)
        if max(self.losses) > 50:
            raise Close

    def forward(self, parameters):
        values = {name: value.astype(np.float64) for name, value in {**self.given, **parameters}.items()}
        values["src"], values["dst"] = (np.array([edge[end] for edge in self.edges], int) for end in (0, 1))
        return evaluate(self.model.nodes, values)[self.output]

    def write(self):
        write_model("model.json", self.model.nodes, self.model.parameters,
                    {name: ["edges" if name == "u" else "nodes", *value.shape[1:]] for name, value in self.given.items()},
                    self.output)
        write_edges("edges.mtx", len(self.labels), self.edges)
        for name, value in {**self.given, "labels": self.labels}.items():
            np.save(name + ".npy", value)

    def inputs(self, plan):
        """Options for what the plan needs: where there is one node, say, nothing depends on some weights."""
        with open(plan + "/program.json", encoding="utf-8") as file:
            text = file.read()
        save("before.safetensors", {name: value for name, value in self.model.parameters.items() if f'"{name}"' in text})
        result = ["--parameters", "before.safetensors"]
        for name in self.given:
            result += ["--input", f"{name}={name}.npy"] if f'"{name}"' in text else []
        return result

    def compare_evaluated(self, smexc, run, what, graph, gpus, backend="cpu", at_run=False):
        """`graph`: how the model is compiled."""
        command(smexc, "model.json", *graph, "--gpus", gpus, "--cuda-arch", "none", "-o", "eval")
        command(run, "eval", "--backend", backend, *self.inputs("eval"), *(["--graph", "edges.mtx"] if at_run else []),
                "--output-dir", "out", "--verify")
        found = np.load(f"out/{self.output}.npy")[:len(self.expected)]
        np.testing.assert_allclose(found, self.expected, atol=2e-5, rtol=2e-5, err_msg=what)

    def compare_trained(self, smexc, run, what, gpus, backends=("cpu",)):
        command(smexc, "model.json", "--graph", "edges.mtx", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan", "--train",
                "--loss", "mse", "--optimizer", "sgd", "--lr", self.rate)
        for backend in backends:
            command(run, "plan", "--backend", backend, *self.inputs("plan"), "--input", "labels=labels.npy", "--steps", self.steps,
                    "--save-parameters", "after.safetensors", "--metrics", "metrics.json", "--verify")
            with open("metrics.json", encoding="utf-8") as file:
                losses = [step["loss"] for step in json.load(file)["steps"]]
            np.testing.assert_allclose(losses, self.losses, rtol=1e-4, err_msg=f"{what}, {gpus} GPUs, {backend}: losses")
            found = load("after.safetensors")
            for name, value in self.after.items():
                np.testing.assert_allclose(found.get(name, self.model.parameters[name]), value, atol=2e-4, rtol=1e-3,
                                           err_msg=f"{what}, {gpus} GPUs, {backend}: {name}")


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(str(w) for w in words)}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
