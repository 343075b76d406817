#!/usr/bin/env python3
"""Writes cases of types that are only stored, with the values of `ml_dtypes`.

    pip install onnx ml_dtypes
    test/end_to_end/make_narrow_cases.py FOLDER

ONNX's own cases have a few numbers of each type. These have every code of each
float type, every number halfway between two of them and those next to it, and
weights that are packed in rows and across rows.
"""
import os
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOATS = {
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "FLOAT4E2M1": ml_dtypes.float4_e2m1fn,
    "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
}
INTEGERS = {
    "INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4,
    "INT2": ml_dtypes.int2, "UINT2": ml_dtypes.uint2,
}


def pack(codes, bits):
    """Bytes of codes, the first in the lowest bits."""
    each = 8 // bits
    codes = np.asarray(codes, np.uint8).ravel() & ((1 << bits) - 1)
    codes = np.pad(codes, (0, -len(codes) % each)).reshape(-1, each)
    return sum(codes[:, i] << (bits * i) for i in range(each)).astype(np.uint8)


def narrow(name, codes, shape, type_name):
    bits = 2 if "INT2" in type_name else 4 if "4" in type_name[-3:] or \
        type_name == "FLOAT4E2M1" else 8
    return TensorProto(name=name, dims=shape, raw_data=pack(codes, bits).tobytes(),
                       data_type=getattr(TensorProto, type_name))


def write(folder, name, nodes, inputs, outputs, initializers=(), opset=25):
    """`inputs`, `outputs`: TensorProto each, which give the graph's types."""
    infos = [[helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in side]
             for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, infos[0], infos[1], list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                              ir_version=11)
    data = os.path.join(folder, name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, name, "model.onnx"), "wb") as file:
        file.write(model.SerializeToString())
    for kind, side in (("input", inputs), ("output", outputs)):
        for i, tensor in enumerate(side):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                file.write(tensor.SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    for type_name, dtype in FLOATS.items():
        number = getattr(TensorProto, type_name)
        count = 16 if type_name == "FLOAT4E2M1" else 256
        codes = np.arange(count, dtype=np.uint8)
        values = codes.view(dtype).astype(np.float32)
        lower = type_name.lower()
        write(folder, f"narrow_decode_{lower}",
              [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
              [narrow("x", codes, [count], type_name)],
              [numpy_helper.from_array(values, "y")])
        if type_name == "FLOAT8E8M0":
            continue  # ml_dtypes rounds to nearest only, ties to even
        finite = np.unique(values[np.isfinite(values)])
        middle = (finite[1:] + finite[:-1]) / 2
        x = np.concatenate([finite, middle, np.nextafter(middle, np.float32(np.inf)),
                            np.nextafter(middle, np.float32(-np.inf))]).astype(np.float32)
        y = x.astype(dtype).view(np.uint8)
        write(folder, f"narrow_encode_{lower}",
              [helper.make_node("Cast", ["x"], ["y"], to=number)],
              [numpy_helper.from_array(x, "x")],
              [narrow("y", y, [len(x)], type_name)])
    random = np.random.default_rng(7)
    for type_name, dtype in {**INTEGERS, "FLOAT4E2M1": ml_dtypes.float4_e2m1fn}.items():
        bits = 2 if "INT2" in type_name else 4
        for shape in ([3, 8], [3, 5], [7], []):
            count = int(np.prod(shape))
            codes = random.integers(0, 1 << bits, count).astype(np.uint8)
            values = codes
            if type_name.startswith("INT"):
                values = np.where(codes >= 1 << (bits - 1), codes.astype(int) - (1 << bits), codes)
                real = values.astype(np.float32)
            elif type_name.startswith("UINT"):
                real = codes.astype(np.float32)
            else:
                real = codes.view(dtype).astype(np.float32)
            x = random.integers(-3, 4, shape).astype(np.float32)
            name = f"narrow_weight_{type_name.lower()}_" + "x".join(map(str, shape or ["scalar"]))
            write(folder, name,
                  [helper.make_node("DequantizeLinear", ["w", "s"], ["r"]),
                   helper.make_node("Add", ["x", "r"], ["y"])],
                  [numpy_helper.from_array(x, "x")],
                  [numpy_helper.from_array((x + real.reshape(shape) * np.float32(0.5)).astype(np.float32), "y")],
                  [narrow("w", codes, shape, type_name),
                   numpy_helper.from_array(np.float32(0.5), "s")])
    codes = np.arange(16, dtype=np.uint8)
    moved = np.concatenate([codes.reshape(2, 8).T, codes.reshape(8, 2)], axis=1)[1:7]
    write(folder, "narrow_moved_int4",
          [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
           helper.make_node("Constant", [], ["to"], value_ints=[8, 2]),
           helper.make_node("Reshape", ["x", "to"], ["r"]),
           helper.make_node("Concat", ["t", "r"], ["c"], axis=1),
           helper.make_node("Constant", [], ["one"], value_ints=[1]),
           helper.make_node("Constant", [], ["seven"], value_ints=[7]),
           helper.make_node("Slice", ["c", "one", "seven"], ["y"])],
          [narrow("x", codes, [2, 8], "INT4")],
          [narrow("y", moved, [6, 4], "INT4")])
    for source, target in (("FLOAT8E4M3FN", "INT8"), ("INT8", "FLOAT8E5M2"),
                           ("FLOAT8E5M2", "FLOAT8E4M3FN"), ("INT4", "UINT4"),
                           ("FLOAT4E2M1", "INT4"), ("UINT2", "INT2")):
        count = 4 if source == "UINT2" else 16 if "4" in source[-3:] or \
            source == "FLOAT4E2M1" else 256
        codes = np.arange(count, dtype=np.uint8)
        write(folder, f"narrow_bitcast_{source.lower()}_{target.lower()}",
              [helper.make_node("BitCast", ["x"], ["y"],
                                to=getattr(TensorProto, target))],
              [narrow("x", codes, [count], source)],
              [narrow("y", codes, [count], target)], opset=26)


if __name__ == "__main__":
    main()
