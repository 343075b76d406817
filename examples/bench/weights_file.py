"""Weights in safetensors' format, f32: what smex-run reads and writes as --parameters and --save-parameters. Needs numpy."""

import json
import struct

import numpy as np


def write_safetensors(path, tensors):
    """`tensors`: arrays by name."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = np.ascontiguousarray(tensor, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(tensor)), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """Arrays by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: np.frombuffer(data[slice(*each["data_offsets"])], np.float32).reshape(each["shape"]).copy()
            for name, each in header.items() if name != "__metadata__"}
