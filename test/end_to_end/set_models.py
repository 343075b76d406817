"""JSON models of graph networks, evaluated by the definitions of their operators (set_definitions.py), and what smexc and
smex-run make of them, compared with that.
"""

import json
import subprocess

import numpy as np

from set_definitions import DEFINITIONS, REDUCERS, Close, into

# Those of the models themselves, in the language.
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
