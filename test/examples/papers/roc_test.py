#!/usr/bin/env python3
"""What roc.py reads from a plan and a simulation, on a plan made by hand, of two workers: edges can be counted."""

import array
import json
import math
import os
import tempfile

from checks import equal, near as near_by  # makes the modules known
from roc import Simulated, Stored, Sums, least_squares, scaled


def near(what, got, want):
    near_by(what, got, want, within=1e-6)  # what a search finds


# 10 vertices, 100 edges, 4 numbers each: 0: a loss, which reads a number of each row; 1: a sum over neighbours, its vertices
# and edges divided as 4 and 6 to 70 and 30; 2: another, whose vertices alone are; 3: a product.
SUM = "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
PROGRAM = {
    "tensors": [{"shape": []}, {"shape": [10, 4]}, {"shape": [11], "dtype": "i32", "name": "offsets"}],
    "buffers": [{"tensor": 0}, {"tensor": 1}, {"tensor": 2}, {"tensor": 2}],
    "parameters": [{"buffer": 1}, {"buffer": 2}],
    "kernels": [{"lambda": "(x0: i64[1], x1: f32[2]) -> f32: lambda: Sum(lambda r0: x1[r0, x0[r0]])"}, {"lambda": SUM},
                {"lambda": "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"}],
    "instructions": [
        {"op": "compute", "kernel": 0, "to": 0, "reductions": [10]},
        {"op": "compute", "kernel": 1, "to": 1, "reductions": [100], "operands": [1, 1, 3]},
        {"op": "compute", "kernel": 1, "to": 1, "reductions": [100], "operands": [1, 1, 3]},
        {"op": "fetch", "to": 1},
        {"op": "compute", "kernel": 2, "to": 1, "reductions": [3]},
    ],
}
WORKERS = [
    {"buffers": [{}, {}, {"box": [[0, 5]]}],
     "instructions": [{"indices": [[0, 10]]}, {"indices": [[0, 4], [0, 4], [0, 70]]}, {"indices": [[0, 4], [0, 2], [0, 100]]},
                      {}, {"indices": [[0, 4], [0, 4], [0, 3]]}]},
    {"buffers": [{}, {}, {"box": [[5, 11]]}],
     "instructions": [{}, {"indices": [[4, 10], [0, 4], [70, 100]]}, {"indices": [[4, 10], [0, 4], [0, 100]]}, {},
                      {"indices": [[4, 10], [0, 4], [0, 3]]}]},
]
OFFSETS = [0, 50, 60, 65, 75, 80, 85, 90, 95, 97, 100]  # the first 4 vertices have 75 of the 100 edges
asked = []
sums = Sums(PROGRAM, WORKERS, lambda tensor: asked.append(tensor) or OFFSETS)
equal("widths of sums over neighbours", sums.widths(), [4, 4])
equal("which list has the edges", set(asked), {2})
equal("what of them", [parts for _, parts in sums.sums], [[(4, 70, 4), (6, 25, 4)], [(4, 75, 2), (6, 25, 4)]])
equal("loads", sums.loads(), [(4 * 4 + 4 * 2, 70 * 4 + 75 * 2), (6 * 8, 25 * 8)])

with tempfile.TemporaryDirectory() as folder:
    for gpu, (before, part) in enumerate(((b"-" * 8, OFFSETS[:5]), (b"", OFFSETS[5:]))):
        with open(os.path.join(folder, f"gpu{gpu}.json"), "w", encoding="utf-8") as file:
            json.dump({"weights": [{"parameter": 0, "offset": 1000}, {"parameter": 1, "offset": len(before)}]}, file)
        with open(os.path.join(folder, f"gpu{gpu}.weights"), "wb") as file:
            file.write(before + array.array("i", part).tobytes() + b"-" * 4)
    equal("a list in two parts", list(Stored(folder, PROGRAM, WORKERS)(2)), OFFSETS)
    try:
        Stored(folder, PROGRAM, [WORKERS[0], WORKERS[0]])(2)
    except ValueError as error:
        assert "6 elements of offsets" in str(error), error
    else:
        raise AssertionError("a list with a part missing was read")

RESULT = {"step_seconds": 7, "out_of_memory": False, "communication_bytes": 5,
          "gpus": [{"compute_seconds": 2, "peak_bytes": 3}, {"compute_seconds": 4, "peak_bytes": 1}]}
found = Simulated(RESULT, sums)
equal("seconds of a step", found.seconds, 7)
equal("seconds of workers", found.worker_seconds, [2, 4])
near("imbalance", found.imbalance, 4 / 3)
equal("the fullest GPU", found.peak, 3)

def described(**device):
    return {"name": "m", "nodes": [{"name": "g"}, {"name": "nvlink"}, {"name": "host"}],
            "device": {"flops": {"f32": 100}, "memory_bytes": 1000, "memory_bandwidth": 20, "efficiency": {
                "contraction": {"most": 1, "half_flops": 10}, "convolution": {"most": 1, "half_flops": 10}, "memory": 0.5}, **device},
            "links": [{"between": ["g", "nvlink"], "bytes_per_second": 40}, {"between": ["g", "host"], "bytes_per_second": 8}]}


for cache, want in ((None, 25), (0, 0), (40, 10), (math.inf, None)):
    equal(f"cache {cache} on a quarter", scaled(described(cache_bytes=100), 4, True, cache)["device"].get("cache_bytes"), want)
equal("no cache that is known of", scaled(described(), 4, True)["device"].get("cache_bytes"), None)
small = scaled(described(), 4, nvlink=False)
equal("nodes without NVLink", [node["name"] for node in small["nodes"]], ["g", "host"])
equal("links without NVLink", [(link["between"], link["bytes_per_second"]) for link in small["links"]], [(["g", "host"], 2)])
equal("a quarter", (small["device"]["flops"]["f32"], small["device"]["memory_bandwidth"], small["device"]["memory_bytes"]), (25, 5, 250))
equal("a quarter of half", small["device"]["efficiency"]["contraction"]["half_flops"], 2.5)

for weights in ((2e-9, 3e-11), (0, 3e-11), (2e-9, 0)):
    rows = [(x, y, weights[0] * x + weights[1] * y) for x, y in ((100, 9e5), (300, 1e5), (200, 4e5))]
    for got, want in zip(least_squares(rows), weights):
        assert abs(got - want) < 1e-5 * max(weights), f"fitted weights {got}, not {want}"
# The best plane has a weight below 0; the best without one takes the edges alone.
a, b = least_squares([(1, 1, 1), (2, 1, 0.5)])
assert a >= 0 and b >= 0, (a, b)
near("the best that is not negative", b, 0.75)
