#!/usr/bin/env python3
"""Operators at their edges: writes operators/edges_*.json beside this file.

Values are those of ONNX's reference implementation (PyPI: onnx 1.23), or of
NumPy where that deviates from ONNX's text; the tests only read the files.
"""
import json
import os

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

NAN, INF = np.nan, np.inf
TYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "bool"}
TYPES |= {f"{u}int{b}": f"{'u' if u else 'i'}{b}" for u in ("", "u") for b in (8, 16, 32, 64)}


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(f"{float(value):.7g}")


class Model:
    def __init__(self, opset):
        self.opset, self.parameters, self.nodes, self.outputs = opset, [], [], []
        self.known, self.count = {}, 0

    def parameter(self, name, array):
        array = np.asarray(array)
        self.parameters.append({"name": name, "type": TYPES[str(array.dtype)], "shape": list(array.shape),
                                "values": [number(v) for v in array.ravel()]})

    def operand(self, array, constant):
        array = np.asarray(array)
        key = (str(array.dtype), array.shape, array.tobytes(), constant)
        if key not in self.known:
            self.known[key] = f"{'const ' if constant else 'x'}{len(self.known)}"
            self.parameter(self.known[key], array)
        return self.known[key]

    def add(self, op, inputs, constant=(), outputs=(0,), expected=None, **attributes):
        """`constant`: operands that must be known when compiling; `outputs`: those compared."""
        if expected is None:
            names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
            node = helper.make_node(op, names, [f"y{i}" for i in range(max(outputs) + 1)], **attributes)
            graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, None)
                                                    for i, x in enumerate(inputs) if x is not None],
                                      [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None) for i in outputs])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
            with np.errstate(all="ignore"):
                expected = ReferenceEvaluator(model).run(
                    None, {f"x{i}": np.asarray(x) for i, x in enumerate(inputs) if x is not None})
        self.count += 1
        made = [""] * (max(outputs) + 1)
        for i, value in zip(outputs, expected):
            made[i] = f"{op} {self.count}.{i}"
            self.parameter(f"expected {made[i]}", value)
            self.outputs += [made[i], f"expected {made[i]}"]
        self.nodes.append({"op": op, "inputs": ["" if x is None else self.operand(x, i in constant)
                                                for i, x in enumerate(inputs)],
                           "outputs": made, "attributes": attributes})

    def write(self, name, doc="Expected values from onnx.reference (make_edges.py)."):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators", f"edges_{name}.json")
        lines = lambda items: ",\n".join("    " + json.dumps(i) for i in items)
        with open(path, "w") as file:
            file.write(f'{{\n  "format": "smex-model",\n  "version": 1,\n  "opset": {self.opset},\n'
                       f'  "doc": {json.dumps(doc)},\n  "parameters": [\n{lines(self.parameters)}\n  ],\n'
                       f'  "nodes": [\n{lines(self.nodes)}\n  ],\n  "outputs": {json.dumps(self.outputs)}\n}}\n')


def f32(*values):
    return np.array(values, np.float32)


def elementwise():
    x = f32(-INF, -100, -3.5, -3, -2.5, -1.5, -1, -0.5, -0.0, 0, 0.5, 1, 1.5, 2.5, 3, 100, INF, NAN)
    model = Model(22)
    for op in ("Abs Neg Sign Floor Ceil Round Reciprocal Exp Log Sqrt Erf Atan Cosh Tanh Asinh Acosh Atanh Relu LeakyRelu "
               "ThresholdedRelu Elu Celu Selu Sigmoid HardSigmoid HardSwish Softplus Softsign Mish Gelu Shrink IsNaN "
               "IsInf").split():
        model.add(op, [x])
    model.add("LeakyRelu", [x], alpha=2.0)
    model.add("Celu", [x], alpha=2.0)
    model.add("PRelu", [x, f32(0.25)])
    model.add("Clip", [x, np.float32(-1), np.float32(2)])
    model.add("Clip", [x, np.float32(2), np.float32(-1)])
    for to in (TensorProto.FLOAT16, TensorProto.BOOL):
        model.add("Cast", [x], to=to)
    a, b = np.meshgrid(f32(-INF, -3.5, -0.0, 0, 0.5, 2, INF, NAN), f32(-INF, -2, 0, 0.5, 3, INF, NAN))
    for op in "Div Pow Max Min Equal Less GreaterOrEqual".split():
        model.add(op, [a, b])
    model.add("Mod", [a, b], fmod=1)
    # An exponent keeps its precision.
    model.add("Pow", [np.array([1000, 3], np.float16), f32(1 / 3, 2.0005)])
    model.write("elementwise")


def integers():
    model = Model(22)
    for kind in (np.int8, np.uint8, np.int32, np.int64):
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        x = np.array([least, least + 1, 0, 1, 2, 7, most - 1, most] + ([-1, -7] if least else [5, 6]), kind)
        a, b = (part.ravel() for part in np.meshgrid(x, x))
        for op in "Add Sub Mul Less Max Min".split():
            model.add(op, [a, b])
        sound = (b != 0) & ~((a == least) & (b.astype(np.int64) == -1))
        model.add("Div", [a[sound], b[sound]])
        model.add("Mod", [a[sound], b[sound]])
        model.add("Mod", [a[sound], b[sound]], fmod=1)
        if least:
            model.add("Abs", [x])
            model.add("Neg", [x])
        else:
            by = (b % 70).astype(kind)
            model.add("BitShift", [a, by], direction="LEFT")
            model.add("BitShift", [a, by], direction="RIGHT")
        model.add("Cast", [x], to=TensorProto.INT16)
        model.add("ArgMax", [x])
        model.add("ArgMin", [x], select_last_index=1)
    model.add("MatMul", [np.array([[2**31 - 1, 1]], np.int32), np.array([[2], [3]], np.int32)])
    model.write("integers")


def reductions():
    x = np.array([[1, 3, 3, 2], [NAN, 1, NAN, 0], [INF, INF, 1, 0], [-INF] * 4, [0, -0.0, 0, 0], [INF, -INF, 1, NAN]],
                 np.float32)
    axes, last = np.array([-1]), np.array([1])
    model = Model(22)
    for op in ("ReduceSum ReduceProd ReduceMax ReduceMin ReduceMean ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum "
               "ReduceLogSumExp").split():
        # The reference gives NaN where an infinity is the largest: PyTorch's and NumPy's values are these.
        expected = None
        if op == "ReduceLogSumExp":
            with np.errstate(all="ignore"):
                expected = [np.logaddexp.reduce(x, axis=1, keepdims=True)]
        model.add(op, [x, axes], constant=(1,), expected=expected)
        if op != "ReduceMean":
            model.add(op, [np.zeros((3, 0, 2), np.float32), last], constant=(1,))
    model.add("ReduceLogSumExp", [f32([1000, 1000], [-1000, -1000]), axes], constant=(1,))
    whole = np.array([[1, -2, 3], [4, 5, -6]], np.int32)
    model.add("ReduceL2", [whole, axes], constant=(1,))
    model.add("ReduceLogSum", [abs(whole), axes], constant=(1,), expected=[np.array([[1], [2]], np.int32)])
    for op in ("ArgMax", "ArgMin"):
        for select in (0, 1):
            model.add(op, [x], axis=-1, select_last_index=select)
            model.add(op, [x], axis=0, select_last_index=select, keepdims=0)
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        model.add(op, [x], axis=-1)
    for p in (1, 2):
        model.add("LpNormalization", [f32([0, 0, 0], [3, 4, 0], [0, -2, 1])],
                  expected=[f32([0, 0, 0], [3 / 7, 4 / 7, 0], [0, -2 / 3, 1 / 3]) if p == 1 else
                            f32([0, 0, 0], [0.6, 0.8, 0], [0, -0.8944272, 0.4472136])], p=p)
    for largest in (0, 1):
        model.add("TopK", [x[[0, 1, 2, 4]], np.array([3])], constant=(1,), outputs=(0, 1), largest=largest)
    # Negative pads cut off first; what is left is repeated.
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    for mode in ("edge", "reflect", "wrap"):
        model.add("Pad", [numbers, np.array([-1, 0, 1, -1])], constant=(1,), mode=mode,
                  expected=[np.pad(numbers[1:, :-1], [(0, 1), (0, 0)], mode=mode)])
    image = np.zeros((1, 2, 4, 4), np.float32)
    image[0, 0, 1, 2], image[0, 1] = 5, -INF
    for outputs in ((0,), (0, 1)):
        model.add("MaxPool", [image], outputs=outputs, kernel_shape=[2, 2], strides=[2, 2])
    image[0, 0, 2, 3] = image[0, 0, 3, 2] = NAN
    # NaN is the largest, and the first of several is meant.
    model.add("MaxPool", [image], outputs=(0, 1), kernel_shape=[2, 2], strides=[2, 2],
              expected=[f32([[[0, 5], [0, NAN]], [[-INF] * 2] * 2]), np.array([[[[0, 6], [8, 11]], [[16, 18], [24, 26]]]])])
    model.write("reductions")


def quantization():
    x = f32(-1e9, -300, -128.5, -3.5, -2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 127.5, 128, 254.5, 255.5, 300, 1e9)
    model = Model(23)
    for zero in (np.uint8(0), np.uint8(255), np.int8(-128), np.int8(127), np.uint16(32768), np.int16(-5)):
        model.add("QuantizeLinear", [x, np.float32(1), np.array(zero)])
        model.add("QuantizeLinear", [np.clip(x, -6e4, 6e4).astype(np.float16), np.float16(0.5), np.array(zero)])
    # The wider type, or the one that is asked for, divides.
    model.add("QuantizeLinear", [np.array([1.1, 2.7], np.float16), np.float32(0.3)])
    model.add("QuantizeLinear", [f32(1.1, 2.7), np.float16(0.3)])
    for kind in (np.int8, np.uint16):
        q = np.array([np.iinfo(kind).min, 0, 1, np.iinfo(kind).max], kind)
        model.add("DequantizeLinear", [q, np.float32(0.1), np.array(3, kind)])
        model.add("DequantizeLinear", [q, np.float16(0.1), np.array(3, kind)])
        model.add("DequantizeLinear", [q, np.float16(2), np.array(3, kind)], output_dtype=int(TensorProto.FLOAT))
    for values in ([0, 0], [1, 2], [-3, -1], [-1.5, 2.5], [0.5, 254.5]):
        model.add("DynamicQuantizeLinear", [f32(*values)], outputs=(0, 1, 2))
    model.add("QLinearMatMul", [np.array([[208, 236, 0, 238], [3, 214, 255, 29]], np.uint8), np.float16(0.0066),
                                np.array(113, np.uint8),
                                np.array([[152, 51, 244], [60, 26, 255], [0, 127, 246], [127, 254, 247]], np.uint8),
                                np.float16(0.00705), np.array(114, np.uint8), np.float16(0.0107),
                                np.array(118, np.uint8)])
    model.write("quantization")


def attention():
    """Softcap, masks and rows without any key, in every stage that can be seen."""
    random = np.random.default_rng(0)
    q, k, v = ((random.integers(-20, 21, (1, heads, 3, 4)) / 10).astype(np.float32) for heads in (2, 1, 1))
    keep = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool)
    added = np.where(keep, 0.5, -INF).astype(np.float32)
    for opset in (23, 24):
        model = Model(opset)
        some = opset > 23  # nothing has changed since
        for mask in (keep,) if some else (None, keep, added):
            for causal in (1,) if some else (0, 1):
                for softcap in (1.5,) if some else (0.0, 1.5):
                    for mode in range(4):
                        # As ONNX's text and function have it: mode 0 is before the cap, which its reference is not.
                        expected = None
                        inputs = [q, k, v] + ([] if mask is None else [mask])
                        if mode == 0:
                            expected = [np.einsum("bhid,bhjd->bhij", q, np.repeat(k, 2, 1)).astype(np.float32) / 2]
                        model.add("Attention", inputs, outputs=(3,) if mode == 0 else (0, 3), expected=expected,
                                  is_causal=causal, softcap=softcap, qk_matmul_output_mode=mode)
        past = [(random.integers(-20, 21, (1, 1, 2, 4)) / 10).astype(np.float32) for _ in range(2)]
        model.add("Attention", [q, k, v, None] + past, outputs=(0, 1, 2), is_causal=1, softcap=2.0)
        if some:
            for count in (1, 2, 3):  # keys that are no padding; of one, the first two queries see none
                model.add("Attention", [q, k, v, None, None, None, np.array([count])], is_causal=1)
        model.write(f"attention_{opset}")


if __name__ == "__main__":
    elementwise()
    integers()
    reductions()
    quantization()
    attention()
