"""Links between users and items, told by what layers of their own edges say (link_layers.sh says when).

    link_layers.py prepare           a model, three relations, features, labels, parameters
    link_layers.py check METRICS..   losses are alike in all runs, and the first one is the definition's
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/bench"))
from weights_file import read_safetensors, write_safetensors  # noqa: E402

SEED = 1
USERS, ITEMS, FEATURES, HIDDEN = 12, 9, 4, 5
RELATIONS = {"rates": (USERS, ITEMS, 30), "back": (ITEMS, USERS, 30), "pairs": (USERS, ITEMS, 18)}


def node(op, inputs, output):
    return {"op": op, "inputs": inputs.split(), "outputs": [output]}


def graph(name, source, destination):
    return {"name": name, "nodes": {"sources": source, "destinations": destination}, "edges": f"{name}_edges",
            "sources": f"{name}/from", "destinations": f"{name}/to"}


MODEL = {
    "format": "smex-model", "version": 1, "opset": 17,
    "graph": [graph("rates", "users", "items"), graph("back", "items", "users"), graph("pairs", "users", "items")],
    "inputs": [{"name": "users_have", "type": "f32", "shape": ["users", FEATURES]},
               {"name": "items_have", "type": "f32", "shape": ["items", FEATURES]},
               {"name": "rates_have", "type": "f32", "shape": ["rates_edges", FEATURES]}],
    "parameters": [{"name": name, "type": "f32", "shape": [FEATURES, HIDDEN], "drawn": 1} for name in ("w", "v")],
    "nodes": [
        node("MatMul", "users_have w", "users0"), node("MatMul", "items_have v", "items0"),
        node("at_ends", "users0 rates/from", "sent"), node("MatMul", "rates_have v", "own"),
        node("Add", "sent own", "rated"), node("mean_messages", "rated rates/to items0", "heard"),
        node("Add", "heard items0", "items1"),
        node("at_ends", "items1 back/from", "told"), node("mean_messages", "told back/to users0", "known"),
        node("Tanh", "known", "bent"), node("Add", "bent users0", "users1"),
        node("at_ends", "users1 pairs/from", "from"), node("at_ends", "items1 pairs/to", "to"),
        node("Mul", "from to", "products"), node("sums", "products", "scores")],
    "operators": ["sums(x[E, D]): lambda e < E: Sum(lambda d < D: x[e, d])"],
    "outputs": [{"name": "scores", "type": "f32", "shape": ["pairs_edges"]}],
}


def prepare():
    random = np.random.default_rng(SEED)
    for name, (sources, destinations, edges) in RELATIONS.items():
        ends = np.stack([random.integers(sources, size=edges), random.integers(destinations, size=edges)], 1)
        np.save(f"{name}.npy", ends)
        with open(f"{name}.mtx", "w", encoding="utf-8") as file:
            file.write(f"%%MatrixMarket matrix coordinate pattern general\n{sources} {destinations} {edges}\n")
            file.writelines(f"{s + 1} {d + 1}\n" for s, d in ends)
    for name, rows in ("users_have", USERS), ("items_have", ITEMS), ("rates_have", RELATIONS["rates"][2]):
        np.save(f"{name}.npy", random.standard_normal((rows, FEATURES)).astype(np.float32))
    np.save("labels.npy", random.integers(2, size=RELATIONS["pairs"][2]).astype(np.float32))
    write_safetensors("first.safetensors", {name: random.standard_normal((FEATURES, HIDDEN)).astype(np.float32)
                                            for name in ("w", "v")})
    with open("model.json", "w", encoding="utf-8") as file:
        json.dump(MODEL, file)


def means(messages, to, nodes):
    total, count = np.zeros((nodes, HIDDEN)), np.zeros((nodes, 1))
    np.add.at(total, to, messages)
    np.add.at(count, to, 1)
    return total / np.maximum(count, 1)


def loss():
    p = {name: values.astype(np.float64) for name, values in read_safetensors("first.safetensors").items()}
    rates, back, pairs = (np.load(f"{name}.npy").T for name in RELATIONS)
    users, items = np.load("users_have.npy") @ p["w"], np.load("items_have.npy") @ p["v"]
    items = items + means(users[rates[0]] + np.load("rates_have.npy") @ p["v"], rates[1], ITEMS)
    users = users + np.tanh(means(items[back[0]], back[1], USERS))
    scores = (users[pairs[0]] * items[pairs[1]]).sum(1)
    return (np.logaddexp(0, scores) - scores * np.load("labels.npy")).mean()


def check(files):
    print("seed", SEED)
    runs = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            runs.append([step["loss"] for step in json.load(file)["steps"]])
    np.testing.assert_allclose(runs[0][0], loss(), rtol=1e-5)
    assert runs[0][-1] < 0.9 * runs[0][0], runs[0]
    for run in runs[1:]:
        np.testing.assert_allclose(run, runs[0], rtol=1e-5)


if sys.argv[1] == "prepare":
    prepare()
else:
    check(sys.argv[2:])
