"""Arrays of floats from .npy and .safetensors, by Python's own modules alone."""

import array
import ast
import json
import math
import struct


def read_npy(path):
    """The elements of a file of f32 or f64, flat."""
    with open(path, "rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise ValueError(f"{path}: is no .npy")
        major, _ = file.read(2)
        length = struct.unpack("<H" if major == 1 else "<I", file.read(2 if major == 1 else 4))[0]
        header = ast.literal_eval(file.read(length).decode())
        values = array.array({"<f4": "f", "<f8": "d"}[header["descr"]])
        values.frombytes(file.read())
    return list(values)


def widened(raw, kind):
    """Elements as floats."""
    if kind == "BF16":
        return array.array("f", struct.pack(f"<{len(raw) // 2}I", *(bits << 16 for bits, in struct.iter_unpack("<H", raw))))
    if kind == "F16":
        return [value for value, in struct.iter_unpack("<e", raw)]
    code = {"F32": "f", "F64": "d", "I64": "q", "I32": "i"}[kind]
    values = array.array(code)
    values.frombytes(raw)
    return values


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: widened(data[slice(*each["data_offsets"])], each["dtype"]) for name, each in header.items()
            if name != "__metadata__"}


def apart(found, expected):
    """The largest difference, in parts of the largest magnitude that is expected; infinite where they don't compare."""
    if len(found) != len(expected):
        return math.inf
    most = max((abs(value) for value in expected if value is not None and math.isfinite(value)), default=0)
    difference = 0.0
    for a, b in zip(found, expected):
        if a is None or b is None or math.isnan(a) or math.isnan(b):
            if (a is None or math.isnan(a)) != (b is None or math.isnan(b)):
                return math.inf
            continue
        if a != b:
            difference = max(difference, abs(a - b))
    return difference / most if most else difference


def root_mean_square(values):
    return math.sqrt(sum(value * value for value in values) / len(values)) if len(values) else 0.0


def apart_in_mean(found, expected, scale):
    """The root mean square of the difference, in parts of that of what is expected, or of the scale, if that is more."""
    if len(found) != len(expected):
        return math.inf
    difference = root_mean_square([a - b for a, b in zip(found, expected)])
    if math.isnan(difference) or difference == 0:
        return math.inf if math.isnan(difference) else 0.0
    most = max(root_mean_square(expected), scale)
    return difference / most if most else math.inf


NOISE = 1e-3  # of the root mean square of all parameters: a tensor of less is compared with that


def safetensors_apart(found, expected):
    """Of two files of parameters, tensor by tensor: the largest, and its tensor. Some gradients are zero, as that of a
    bias of attention's keys, so that a parameter that began with zeros is made of roundings alone."""
    a, b = read_safetensors(found), read_safetensors(expected)
    if a.keys() != b.keys():
        return math.inf, "names"
    scale = NOISE * root_mean_square([value for values in b.values() for value in values])
    return max(((apart_in_mean(a[name], b[name], scale), name) for name in a), default=(0.0, ""))
