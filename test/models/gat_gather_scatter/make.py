"""Makes this folder: graph attention (Velickovic et al.) of two layers, as exporters write it: gathered ends, reductions
by ScatterElements, the edge list an input. Outputs are numpy's. Needs the Python package onnx.

usage: make.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NODES, EDGES = 30, 110
LAYERS = [(12, 3, 4), (12, 1, 5)]  # features, heads, results per head

random = np.random.default_rng(7)
nodes, weights = [], {}


def constant(name, value):
    weights[name] = np.asarray(value)
    return name


def op(kind, inputs, name, **attributes):
    nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
    return name


def scatter(name, updates, start, extents, reduction):
    """Updates of edges, combined by their destinations."""
    axes = constant(name + "/axes", np.arange(1, len(extents), dtype=np.int64))
    column = op("Unsqueeze", ["dst", axes], name + "/column")
    shape = constant(name + "/edges", np.array([EDGES] + extents[1:], np.int64))
    places = op("Expand", [column, shape], name + "/places")
    data = constant(name + "/start", np.full(extents, start, np.float32))
    return op("ScatterElements", [data, places, updates], name, axis=0, reduction=reduction)


def layer(i, x, features, heads, size):
    n = f"layer{i}/"
    w = constant(n + "w", random.normal(0, features**-0.5, (features, heads * size)).astype(np.float32))
    split = constant(n + "shape", np.array([NODES, heads, size], np.int64))
    h = op("Reshape", [op("MatMul", [x, w], n + "product"), split], n + "h")
    last = constant(n + "last", np.array([2], np.int64))
    ends = []
    for end in ["src", "dst"]:
        a = constant(n + end, random.normal(0, 1, (heads, size)).astype(np.float32))
        score = op("ReduceSum", [op("Mul", [h, a], n + end + "/mul"), last], n + end + "/score", keepdims=0)
        ends.append(op("Gather", [score, end], n + end + "/gathered", axis=0))
    s = op("LeakyRelu", [op("Add", ends, n + "sum")], n + "s", alpha=0.2)
    m = scatter(n + "max", s, -1e30, [NODES, heads], "max")
    p = op("Exp", [op("Sub", [s, op("Gather", [m, "dst"], n + "max/gathered")], n + "less")], n + "p")
    z = scatter(n + "z", p, 1e-16, [NODES, heads], "add")
    share = op("Div", [p, op("Gather", [z, "dst"], n + "z/gathered")], n + "share")
    wide = op("Unsqueeze", [share, last], n + "wide")
    message = op("Mul", [wide, op("Gather", [h, "src"], n + "h/gathered")], n + "message")
    out = scatter(n + "out", message, 0, [NODES, heads, size], "add")
    return op("Reshape", [out, constant(n + "flat", np.array([NODES, heads * size], np.int64))], n + "result")


def reference(x, src, dst):
    """The same by the formula, node by node."""
    for i, (features, heads, size) in enumerate(LAYERS):
        n = f"layer{i}/"
        h = (x @ weights[n + "w"]).reshape(NODES, heads, size)
        s = (h * weights[n + "src"]).sum(2)[src] + (h * weights[n + "dst"]).sum(2)[dst]
        s = np.where(s >= 0, s, 0.2 * s)
        out = np.zeros((NODES, heads, size), np.float64)
        for v in range(NODES):
            into = np.flatnonzero(dst == v)
            if into.size:
                p = np.exp(s[into] - s[into].max(0))
                out[v] = ((p / p.sum(0))[:, :, None] * h[src[into]]).sum(0)
        x = out.reshape(NODES, heads * size)
        if i + 1 < len(LAYERS):
            x = np.maximum(x, 0)
    return x.astype(np.float32)


x = random.normal(0, 1, (NODES, LAYERS[0][0])).astype(np.float32)
src = random.integers(0, NODES, EDGES)
dst = random.integers(0, NODES - 2, EDGES)  # two nodes have no edges

value = "x"
for i, sizes in enumerate(LAYERS):
    value = layer(i, value, *sizes)
    if i + 1 < len(LAYERS):
        value = op("Relu", [value], f"relu{i}")
nodes[-1].output[0] = "output0"

graph = helper.make_graph(
    nodes,
    "gat",
    [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape)),
        helper.make_tensor_value_info("src", TensorProto.INT64, [EDGES]),
        helper.make_tensor_value_info("dst", TensorProto.INT64, [EDGES]),
    ],
    [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [NODES, LAYERS[-1][2]])],
    [numpy_helper.from_array(value, name) for name, value in weights.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model, full_check=True)

folder = sys.argv[1]
os.makedirs(folder + "/inputs", exist_ok=True)
os.makedirs(folder + "/outputs", exist_ok=True)
onnx.save(model, folder + "/model.onnx")
for name, array in [("x", x), ("src", src), ("dst", dst)]:
    np.save(f"{folder}/inputs/{name}.npy", array)
np.save(folder + "/outputs/output0.npy", reference(x.astype(np.float64), src, dst))
