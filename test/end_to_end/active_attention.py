#!/usr/bin/env python3
"""Attention over the edges of an active set, trained, against its definition in NumPy, whose gradients are
differences of losses. Nodes that no active edge leads to keep what they have; no edge leads to the last one.

usage: active_attention.py SMEXC SMEX_RUN
"""

import json
import sys

import numpy as np

from set_models import command, load, node, save

NODES, FEATURES, HEADS, WIDTH, RATE, STEPS = 7, 3, 2, 2, 0.2, 2
OPERATORS = [
    "chosen(x[V, F]): lambda v < V: x[v, 0] > 0",
    "heads(x[V, J]; h = 2, f = 2): lambda v < V, i < h, j < f: x[v, i * f + j]",
    "together(x[V, H, F]): lambda v < V, j < H * F: x[v, j // F, j % F]",
    "features(s[E], d[E], x[V, F]): lambda e < E, k < 1: cast(s[e] - 2 * d[e], x) / 8",
]


ATTENTION = {
    "graph_attention": [node("graph_attention", ["y", "l", "r", "src", "ends"], "a")],
    "in parts": [
        node("scores_of_edges", ["y", "l", "r", "src", "ends"], "s"),
        node("softmax_of_edges", ["s", "ends", "x"], "p"),
        node("weighted_messages", ["p", "y", "src", "ends"], "a"),
    ],
    "transformer_attention": [
        node("features", ["src", "dst", "x"], "u"),
        node("transformer_attention", ["y", "k", "y", "u", "e", "src", "ends"], "a"),
    ],
}
ACTIVE = {
    "push": node("push_edges", ["src", "dst", "set"], "ends"),
    "pull": node("pull_edges", ["dst", "set"], "ends"),
}


def parameters(random):
    shapes = {"w": (FEATURES, HEADS * WIDTH), "v": (FEATURES, HEADS * WIDTH), "l": (HEADS, WIDTH), "r": (HEADS, WIDTH),
              "e": (1, HEADS, WIDTH)}
    return {name: random.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


def used_by(attention):
    return ("w", "v", "e") if attention == "transformer_attention" else ("w", "l", "r")


def forward(attention, how, x, edges, values):
    """What the model says, by its definition, a node and a head after the other."""
    y = (x @ values["w"]).reshape(NODES, HEADS, WIDTH)
    result = y.copy()
    for v in range(NODES):
        into = [(s, d) for s, d in edges if d == v and x[s if how == "push" else d, 0] > 0]
        if not into:
            continue
        for h in range(HEADS):
            if attention == "transformer_attention":
                k = (x @ values["v"]).reshape(NODES, HEADS, WIDTH)
                of_edge = [(s - 2 * d) / 8 * values["e"][0, h] for s, d in into]
                scores = [y[v, h] @ (k[s, h] + u) for (s, _), u in zip(into, of_edge)]
                messages = [y[s, h] + u for (s, _), u in zip(into, of_edge)]
            else:
                scores = [y[s, h] @ values["l"][h] + y[v, h] @ values["r"][h] for s, _ in into]
                scores = [score if score >= 0 else 0.2 * score for score in scores]
                messages = [y[s, h] for s, _ in into]
            weights = np.exp(np.array(scores) - max(scores))
            result[v, h] = weights @ np.array(messages) / weights.sum()
    return result.reshape(NODES, HEADS * WIDTH)


def trained(loss, values, names):
    """The parameters after some steps of gradient descent, in float64."""
    values = {name: value.astype(np.float64) for name, value in values.items()}
    for _ in range(STEPS):
        gradients = {}
        for name in names:
            gradients[name] = np.zeros_like(values[name])
            for at in np.ndindex(values[name].shape):
                kept, sides = values[name][at], []
                for by in (1e-5, -1e-5):
                    values[name][at] = kept + by
                    sides.append(loss(values))
                values[name][at] = kept
                gradients[name][at] = (sides[0] - sides[1]) / 2e-5
        for name in names:
            values[name] -= RATE * gradients[name]
    return values


def test(attention, how, smexc, run, random):
    names, values = used_by(attention), parameters(random)
    values = {name: values[name] for name in names}
    x = random.normal(0, 1, (NODES, FEATURES)).astype(np.float32)
    x[:4, 0] = [1, -1, 0.5, -2]
    edges = [(int(s), int(d)) for s, d in random.integers(NODES, size=(16, 2)) if d != NODES - 1] + [(NODES - 1, 0)]
    labels = random.normal(0, 1, (NODES, HEADS * WIDTH)).astype(np.float32)
    products = [node("MatMul", ["x", "w"], "xw"), node("heads", ["xw"], "y")]
    if "v" in names:
        products += [node("MatMul", ["x", "v"], "xv"), node("heads", ["xv"], "k")]
    model = {
        "format": "smex-model", "version": 1, "opset": 17,
        "graph": {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"},
        "inputs": [{"name": "x", "type": "f32", "shape": ["nodes", FEATURES]}],
        "parameters": [{"name": name, "type": "f32", "shape": list(values[name].shape), "drawn": 0.5} for name in names],
        "operators": OPERATORS,
        "nodes": [node("chosen", ["x"], "set"), ACTIVE[how], *products, *ATTENTION[attention],
                  node("together", ["a"], "new"), node("receivers", ["ends", "x"], "reached"),
                  node("update_nodes", ["new", "xw", "reached"], "logits")],
        "outputs": ["logits"],
    }
    with open("model.json", "w", encoding="utf-8") as file:
        json.dump(model, file)
    with open("edges.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{s} {d}\n" for s, d in edges)
    np.save("x.npy", x)
    np.save("labels.npy", labels)
    save("before.safetensors", values)

    after = trained(lambda now: np.mean((forward(attention, how, x.astype(np.float64), edges, now) - labels) ** 2),
                    values, names)
    given = ["--parameters", "before.safetensors", "--input", "x=x.npy"]
    for gpus, backends in ((1, ("cpu", "reference")), (3, ("cpu",))):
        command(smexc, "model.json", "--graph", "edges.txt", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan", "--train",
                "--loss", "mse", "--optimizer", "sgd", "--lr", RATE)
        for backend in backends:
            what = f"{attention}, {how}, {gpus} GPUs, {backend}"
            command(run, "plan", "--backend", backend, *given, "--input", "labels=labels.npy", "--steps", STEPS,
                    "--save-parameters", "after.safetensors", "--verify")
            found = load("after.safetensors")
            for name in names:
                np.testing.assert_allclose(found[name], after[name], atol=1e-4, err_msg=f"{what}: {name}")
            print(what)


def main():
    random = np.random.default_rng(11)
    for attention in ATTENTION:
        for how in ACTIVE:
            test(attention, how, *sys.argv[1:], random)


main()
