"""Makes the decoder here: one layer of attention that reads a token at a time and keeps keys and values in caches (TensorScatter), with
tokens for five steps. What the last step gives is PyTorch's causal attention over all five tokens at once, which knows of no cache.
Needs onnx, torch; made with 1.23, 2.15.

usage: make.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

BATCH, STEPS, ROOM, WIDTH, WORDS = 2, 5, 6, 8, 11
torch.manual_seed(5)
weights = {name: torch.randn(shape) * 0.5 for name, shape in {
    "embedding": (WORDS, WIDTH), "query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "head": (WIDTH, WORDS)}.items()}
constants = {"scale": np.float32(WIDTH ** -0.5), "one": np.int64(1), "minus_infinity": np.float32(-np.inf),
             "places": np.arange(ROOM).reshape(1, 1, ROOM), "axes": np.array([1, 2])}
node = helper.make_node
nodes = [
    node("Gather", ["embedding", "token"], ["x"]),
    node("MatMul", ["x", "query"], ["q"]),
    node("MatMul", ["x", "key"], ["k"]),
    node("MatMul", ["x", "value"], ["v"]),
    node("TensorScatter", ["past_key", "k", "position"], ["present_key"], axis=1),
    node("TensorScatter", ["past_value", "v", "position"], ["present_value"], axis=1),
    node("Transpose", ["present_key"], ["kt"], perm=[0, 2, 1]),
    node("MatMul", ["q", "kt"], ["raw"]),
    node("Mul", ["raw", "scale"], ["scores"]),
    node("Unsqueeze", ["position", "axes"], ["now"]),
    node("LessOrEqual", ["places", "now"], ["seen"]),
    node("Where", ["seen", "scores", "minus_infinity"], ["masked"]),
    node("Softmax", ["masked"], ["attention"]),
    node("MatMul", ["attention", "present_value"], ["read"]),
    node("Add", ["x", "read"], ["y"]),
    node("MatMul", ["y", "head"], ["scores_of_words"]),
    node("Add", ["position", "one"], ["next_position"]),
]
cache = [BATCH, ROOM, WIDTH]
value = helper.make_tensor_value_info
graph = helper.make_graph(
    nodes, "decoder",
    [value("token", TensorProto.INT64, [BATCH, 1]), value("past_key", TensorProto.FLOAT, cache),
     value("past_value", TensorProto.FLOAT, cache), value("position", TensorProto.INT64, [BATCH])],
    [value("scores_of_words", TensorProto.FLOAT, [BATCH, 1, WORDS]), value("present_key", TensorProto.FLOAT, cache),
     value("present_value", TensorProto.FLOAT, cache), value("next_position", TensorProto.INT64, [BATCH])],
    [numpy_helper.from_array(tensor.numpy(), name) for name, tensor in weights.items()]
    + [numpy_helper.from_array(np.asarray(number), name) for name, number in constants.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)
onnx.checker.check_model(model)
folder = sys.argv[1]
for each in ["inputs", "outputs"]:
    os.makedirs(f"{folder}/{each}", exist_ok=True)
onnx.save(model, folder + "/model.onnx")

tokens = torch.randint(0, WORDS, (BATCH, STEPS))
np.save(folder + "/inputs/token.npy", tokens.T[:, :, None].numpy())
x = weights["embedding"][tokens]
q, k, v = (x @ weights[name] for name in ["query", "key", "value"])
y = x + torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
np.save(folder + "/outputs/scores_of_words.npy", (y @ weights["head"])[:, -1:].numpy())
for name, kept in [("present_key", k), ("present_value", v)]:
    np.save(f"{folder}/outputs/{name}.npy", torch.nn.functional.pad(kept, (0, 0, 0, ROOM - STEPS)).numpy())
np.save(folder + "/outputs/next_position.npy", np.full(BATCH, STEPS))
