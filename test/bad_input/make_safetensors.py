"""make_safetensors.py GOOD: writes damaged copies of that safetensors file, and good ones, to the current folder."""

import json
import random
import struct
import sys

with open(sys.argv[1], "rb") as file:
    good = file.read()
length = struct.unpack("<Q", good[:8])[0]
data = good[8 + length:]


def header():
    return json.loads(good[8:8 + length])


def write(name, text, bytes=data, says=None):
    if not isinstance(text, str):
        text = json.dumps(text)
    with open(name + ".safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text) if says is None else says) + text.encode() + bytes)


def without(*names):
    """Header and data less some tensors."""
    kept, bytes = {}, b""
    for name, entry in header().items():
        if name not in names:
            begin, end = entry["data_offsets"]
            entry["data_offsets"] = [len(bytes), len(bytes) + end - begin]
            bytes += data[begin:end]
            kept[name] = entry
    return kept, bytes


def changed(name, **keys):
    all = header()
    all[name].update(keys)
    return all


write("padded", json.dumps(dict(reversed(header().items()))) + " " * 9)
write("missing", *without("second.bias"))
write("missing_two", *without("second.bias", "first.weight"))
write("shape", changed("second.weight", shape=[5, 32]))
write("type", changed("second.bias", dtype="I32"))
write("f8", changed("second.bias", dtype="F8_E5M2"))

extra = header()
extra["extra"] = {"dtype": "F32", "shape": [2], "data_offsets": [len(data), len(data) + 8]}
write("unknown", extra, data + bytes(8))

text = json.dumps(header())
entry = json.dumps({"second.bias": header()["second.bias"]})
write("twice", text[:-1] + ", " + entry[1:])

begin, end = header()["second.bias"]["data_offsets"]
overlap = header()
for name, entry in overlap.items():
    if entry["data_offsets"][0] >= end:
        entry["data_offsets"] = [place - 4 for place in entry["data_offsets"]]
if begin + (end - begin) == len(data):  # it is the last one
    overlap["second.bias"]["data_offsets"] = [begin - 4, end - 4]
write("overlap", overlap, data[:-4])

hole = header()
for name, entry in hole.items():
    if entry["data_offsets"][0] >= begin:
        entry["data_offsets"] = [place + 8 for place in entry["data_offsets"]]
write("hole", hole, data + bytes(8))

write("trailing", header(), data + b"abc")
write("cut", header(), data[:-1])
write("long_header", header(), says=1 << 40)
write("header", json.dumps(header()).replace(":", ";", 1))
with open("empty.safetensors", "wb"):
    pass
random.seed(7)
with open("noise.safetensors", "wb") as file:
    file.write(random.randbytes(1000))
