"""near.py EXPECTED GOT: are losses (.json of smex-run --metrics) and parameters
(.safetensors) the same up to the rounding of bf16? Losses to 1/128 of each, each
tensor to 1/32 of its norm, or of 0.001: what keys are biased by moves by rounding alone."""

import json
import sys

import numpy as np

TYPES = {"F32": np.float32, "F64": np.float64, "BF16": np.uint16, "I64": np.int64}


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = np.frombuffer(data[begin:end], TYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        yield name, values.astype(np.float64)


def losses(path):
    with open(path) as file:
        return [step["loss"] for step in json.load(file)["steps"]]


def main(expected, got):
    failures = 0
    for step, (want, have) in enumerate(zip(losses(expected + ".json"), losses(got + ".json"), strict=True)):
        if not abs(have - want) <= abs(want) / 128:
            print(f"loss of step {step + 1}: {have}, {want} expected")
            failures += 1
    have, worst = dict(tensors(got + ".safetensors")), 0
    wanted = dict(tensors(expected + ".safetensors"))
    if not wanted or wanted.keys() != have.keys():
        sys.exit(f"{got}: other parameters")
    for name, want in wanted.items():
        norm, apart = np.linalg.norm(want), np.linalg.norm(want - have[name])
        if not apart <= max(norm, 1e-3) / 32:
            print(f"{name}: {apart / norm} of its norm apart")
            failures += 1
        worst = max(worst, apart / max(norm, 1e-3))
    print(f"{got}: {len(wanted)} parameters within {worst:.2g} of their norm")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
