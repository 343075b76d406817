"""make_tensors.py X.NPY: writes that f32 array as ONNX TensorProto files, good and bad, to the current folder."""

import random
import struct
import sys


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


# Fields and element types of onnx.proto.
DIMS, TYPE, FLOATS, SEGMENT, RAW, EXTERNAL, LOCATION = 1, 2, 4, 3, 9, 13, 14
FLOAT, STRING, DOUBLE = 1, 8, 11


def head(element, *shape):
    return b"".join(number(DIMS, extent) for extent in shape) + number(TYPE, element)


npy = open(sys.argv[1], "rb").read()
x = npy[10 + struct.unpack("<H", npy[8:10])[0]:]
assert len(x) == 12 * 96 * 4
floats = [x[i:i + 4] for i in range(0, len(x), 4)]

files = {
    "raw": head(FLOAT, 12, 96) + data(RAW, x),
    "packed": head(FLOAT, 12, 96) + data(FLOATS, x),
    "unpacked": head(FLOAT, 12, 96) + b"".join(varint(FLOATS << 3 | 5) + f for f in floats),
    "type": head(DOUBLE, 12, 96) + data(RAW, x + x),
    "shape": head(FLOAT, 96, 12) + data(RAW, x),
    "rank": head(FLOAT, 1152) + data(RAW, x),
    "short": head(FLOAT, 12, 96) + data(RAW, x[:-4]),
    "huge": head(FLOAT, 1 << 40, 1 << 40) + data(RAW, x),
    "string": head(STRING, 12, 96) + data(RAW, x),
    "external": head(FLOAT, 12, 96) + data(EXTERNAL, data(1, b"location") + data(2, b"x")) + number(LOCATION, 1),
    "segment": head(FLOAT, 12, 96) + data(SEGMENT, number(1, 0) + number(2, 4)) + data(RAW, x),
}
random.seed(7)
for i in range(20):
    files["noise%d" % i] = random.randbytes(random.choice([1, 3, 10, 100, 5000]))
for name, content in files.items():
    with open(name + ".pb", "wb") as file:
        file.write(content)
