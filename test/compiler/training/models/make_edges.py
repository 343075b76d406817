#!/usr/bin/env python3
"""Gradients where operators have kinks, ties and poles: writes edges_*.json.

Values are PyTorch's (PyPI: torch 2.15); the tests only read the files. Of each
case, an operator y = f(x + d), with parameters d that are zero, the loss is the
sum of y * w: its gradient by d is that by x, whatever x is.
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

NAN, INF = np.nan, np.inf
TYPES = {"float32": "f32", "int64": "i64", "bool": "bool"}


def number(value):
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(f"{float(value):.7g}")


def tensor(array):
    return {"type": TYPES[str(array.dtype)], "shape": list(array.shape), "values": [number(v) for v in array.ravel()]}


class Model:
    def __init__(self, opset):
        self.opset, self.parameters, self.nodes, self.losses, self.outputs = opset, [], [], [], []

    def constant(self, name, array):
        self.nodes.append({"op": "Constant", "outputs": [name], "attributes": {"value": tensor(array)}})

    def add(self, op, inputs, function, constant=(), outputs=1, **attributes):
        """`function`: of PyTorch's tensors; `constant`: operands without a gradient."""
        case = f"{op} {len(self.losses)}"
        inputs = [np.asarray(x) for x in inputs]
        tensors = [torch.tensor(x) for x in inputs]
        names = []
        for i, (x, t) in enumerate(zip(inputs, tensors)):
            name = f"{case} x{i}"
            self.constant(name, x)
            if x.dtype == np.float32 and i not in constant:
                t.requires_grad_()
                self.parameters.append({"name": f"{case} d{i}", "type": "f32", "shape": list(x.shape), "values": 0})
                self.nodes.append({"op": "Add", "inputs": [name, f"{case} d{i}"], "outputs": [f"{case} v{i}"]})
                name = f"{case} v{i}"
            names.append(name)
        y = function(*tensors)
        w = (np.arange(1, y.numel() + 1) % 7 + 1).astype(np.float32).reshape(tuple(y.shape))
        y.backward(torch.tensor(w))
        self.nodes.append({"op": op, "inputs": names, "attributes": attributes,
                           "outputs": [f"{case} y"] + [f"{case} y{i}" for i in range(1, outputs)]})
        self.constant(f"{case} w", w)
        self.nodes.append({"op": "Mul", "inputs": [f"{case} y", f"{case} w"], "outputs": [f"{case} yw"]})
        self.nodes.append({"op": "ReduceSum", "inputs": [f"{case} yw"], "outputs": [f"{case} loss"],
                           "attributes": {"keepdims": 0}})
        self.losses.append(f"{case} loss")
        for i, t in enumerate(tensors):
            if t.requires_grad:
                expected = t.grad if t.grad is not None else torch.zeros_like(t)
                self.constant(f"expected {case} d{i}", expected.numpy())
                self.outputs.append(f"expected {case} d{i}")

    def write(self, name):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"edges_{name}.json")
        self.nodes.append({"op": "Sum", "inputs": self.losses, "outputs": ["total"]})
        lines = lambda items: ",\n".join("    " + json.dumps(i) for i in items)
        with open(path, "w") as file:
            file.write(f'{{\n  "format": "smex-model",\n  "version": 1,\n  "opset": {self.opset},\n'
                       f'  "doc": "Expected gradients from PyTorch (make_edges.py).",\n'
                       f'  "parameters": [\n{lines(self.parameters)}\n  ],\n  "nodes": [\n{lines(self.nodes)}\n  ],\n'
                       f'  "outputs": {json.dumps(["total"] + self.outputs)}\n}}\n')


def f32(*values):
    return np.array(values, np.float32)


def kinks():
    """At 0 and other kinks, and far from 0, where nothing may be infinity over infinity."""
    x = f32(-1e30, -200, -89, -20, -6, -3, -1, -0.5, 0, 0.5, 1, 3, 6, 20, 89, 200, 1e30)
    near = x[np.abs(x) < 50]
    model = Model(24)
    for op, function in {
            "Abs": torch.abs, "Relu": F.relu, "LeakyRelu": F.leaky_relu, "Elu": F.elu, "Celu": F.celu, "Selu": F.selu,
            "Sigmoid": torch.sigmoid, "Tanh": torch.tanh, "Softplus": F.softplus, "Softsign": F.softsign,
            "Mish": F.mish, "Gelu": F.gelu, "HardSwish": F.hardswish, "Swish": F.silu, "Erf": torch.erf,
            "Sqrt": torch.sqrt, "Log": torch.log, "Reciprocal": torch.reciprocal, "Atan": torch.atan}.items():
        model.add(op, [x], function)
    unit = f32(-1, -0.5, 0, 0.5, 1)
    for op, function in {"Asin": torch.asin, "Acos": torch.acos, "Atanh": torch.atanh}.items():
        model.add(op, [unit], function)
    model.add("LeakyRelu", [near], lambda x: F.leaky_relu(x, 2.0), alpha=2.0)
    model.add("Elu", [near], lambda x: F.elu(x, 2.0), alpha=2.0)
    model.add("Celu", [near], lambda x: F.celu(x, 2.0), alpha=2.0)
    model.add("HardSigmoid", [near], F.hardsigmoid, alpha=1 / 6, beta=0.5)
    model.add("ThresholdedRelu", [near], lambda x: F.threshold(x, 1.0, 0.0), alpha=1.0)
    model.add("Shrink", [near], lambda x: F.softshrink(x, 0.5), lambd=0.5, bias=0.5)
    model.add("PRelu", [near, f32(0.25)], F.prelu)
    model.add("Clip", [near, np.float32(-1), np.float32(3)], lambda x, low, high: torch.clamp(x, -1, 3), constant=(1, 2))
    for power in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0):
        model.add("Pow", [near, np.float32(power)], lambda x, _: torch.pow(x, power), constant=(1,))
    a, b = (part.ravel() for part in np.meshgrid(f32(-3, -1, 0, 0.5, 2), f32(-2, -0.5, 0, 1, 3)))
    model.add("Pow", [a, b], torch.pow)
    a, b = (part.ravel() for part in np.meshgrid(f32(-3, 0, 1, 1e20, 1e-25), f32(-2, 0, 1, 1e20, 1e-25)))
    model.add("Div", [a, b], torch.div)
    model.write("kinks")


def ties():
    """Terms that attain a maximum share the gradient; of pooling, the first one has it all."""
    model = Model(22)
    a, b = (part.ravel() for part in np.meshgrid(f32(-1, 0, 1, INF, -INF), f32(-1, 0, 1, INF, -INF)))
    model.add("Max", [a, b], torch.maximum)
    model.add("Min", [a, b], torch.minimum)
    model.add("Max", [a, b, b], lambda x, y, z: torch.maximum(torch.maximum(x, y), z))
    x = f32([1, 3, 3, 2], [2, 2, 2, 2], [0, 0, 0, 0], [-1, 0, 5, 5], [-INF] * 4, [INF, INF, 1, 0])
    last = np.array([1])
    model.add("ReduceMax", [x, last], lambda x, _: torch.amax(x, 1), constant=(1,), keepdims=0)
    model.add("ReduceMin", [x, last], lambda x, _: torch.amin(x, 1), constant=(1,), keepdims=0)
    model.add("ReduceMax", [x[:4]], torch.amax, keepdims=0)
    at = np.array([0, 0, 1, 1, 1])
    model.add("ScatterElements", [f32(-9, -8, -7), at, f32(1, 1, 3, 3, 1)],
              lambda x, at, u: x.scatter_reduce(0, at, u, "amax"), reduction="max")
    image = np.array([[[[1, 1, 2, 2], [1, 3, 3, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]], np.float32)
    model.add("MaxPool", [image], lambda x: F.max_pool2d(x, 2), kernel_shape=[2, 2], strides=[2, 2])
    model.add("MaxPool", [image], lambda x: F.max_pool2d(x, 3, 1, 1), kernel_shape=[3, 3], pads=[1] * 4)
    model.add("MaxPool", [image], lambda x: F.max_pool2d(x, 2), outputs=2, kernel_shape=[2, 2], strides=[2, 2])
    model.add("GlobalMaxPool", [image], lambda x: F.adaptive_max_pool2d(x, 1))
    model.write("ties")


def reductions():
    """Norms of zeros, sums of exponentials, products with zeros, softmax, attention without any key."""
    model = Model(23)
    last = np.array([1])
    x = f32([0, 0, 0], [3, -4, 0], [1, 2, 2])
    model.add("ReduceL2", [x, last], lambda x, _: torch.linalg.vector_norm(x, 2, 1), constant=(1,), keepdims=0)
    model.add("ReduceL1", [x, last], lambda x, _: torch.linalg.vector_norm(x, 1, 1), constant=(1,), keepdims=0)
    model.add("LpNormalization", [x[1:]], lambda x: x / torch.linalg.vector_norm(x, 2, 1, True), axis=1, p=2)
    model.add("LpNormalization", [x[1:]], lambda x: x / torch.linalg.vector_norm(x, 1, 1, True), axis=1, p=1)
    model.add("ReduceProd", [f32([0, 2, 3], [0, 0, 1], [1, 2, 3]), last], lambda x, _: torch.prod(x, 1), constant=(1,),
              keepdims=0)
    model.add("ReduceLogSumExp", [f32([-INF, 0, -INF, 1], [1e4, 1e4, 0, 0], [INF, INF, 1, 0]), last],
              lambda x, _: torch.logsumexp(x, 1), constant=(1,), keepdims=0)
    model.add("Softmax", [f32([1e4, 0, -1e4], [-INF, 0, 0], [1, 1, 1])], lambda x: torch.softmax(x, 1))
    image = np.array([[[[0, 0, 3, 0], [0, 0, 0, -4], [0, 1, 0, 0], [1, 1, 0, 0]]]], np.float32)
    model.add("LpPool", [image], lambda x: F.lp_pool2d(x, 2, 2), kernel_shape=[2, 2], strides=[2, 2])
    model.add("GlobalLpPool", [image * 0], lambda x: F.lp_pool2d(x, 2, 4))
    random = np.random.default_rng(0)
    q, k, v = ((random.integers(-20, 21, (1, 1, 3, 4)) / 10).astype(np.float32) for _ in range(3))
    keep = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool)
    model.add("Attention", [q, k, v, keep], F.scaled_dot_product_attention)

    def capped(q, k, v, keep):
        scores = torch.tanh(q @ k.transpose(-1, -2) / 2 / 1.5) * 1.5
        return torch.softmax(scores.masked_fill(~keep, -INF), -1) @ v

    model.add("Attention", [q[:, :, :2], k, v, keep[:2]], capped, softcap=1.5)
    model.write("reductions")


if __name__ == "__main__":
    torch.set_num_threads(1)
    kinks()
    ties()
    reductions()
