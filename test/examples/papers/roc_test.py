#!/usr/bin/env python3
"""What roc.py adds to a simulation, on a plan made by hand, of two workers: rows and bytes can be counted."""

import os
import sys

sys.path.insert(0, os.path.join(os.getcwd(), "examples/papers"))
sys.dont_write_bytecode = True

from roc import Assumed, Gathering, Simulated, least_squares, scaled  # noqa: E402


def equal(what, got, want):
    assert got == want, f"{what}: {got}, not {want}"


def near(what, got, want):
    assert abs(got - want) <= 1e-6 * abs(want), f"{what}: {got}, not {want}"


# 10 vertices, 100 edges, 4 numbers each: 0: a loss, which reads a number of each row; 1: a sum over neighbours, its vertices
# and edges divided as 4 and 6 to 70 and 30; 2: another, whose vertices alone are; 3: a product.
SUM = "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0)"
PROGRAM = {
    "tensors": [{"shape": []}, {"shape": [10, 4]}],
    "buffers": [{"tensor": 0}, {"tensor": 1}],
    "kernels": [{"lambda": "(x0: i64[1], x1: f32[2]) -> f32: lambda: Sum(lambda r0: x1[r0, x0[r0]])"}, {"lambda": SUM},
                {"lambda": "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"}],
    "instructions": [
        {"op": "compute", "kernel": 0, "to": 0, "reductions": [10]},
        {"op": "compute", "kernel": 1, "to": 1, "reductions": [100]},
        {"op": "compute", "kernel": 1, "to": 1, "reductions": [100]},
        {"op": "fetch", "to": 1},
        {"op": "compute", "kernel": 2, "to": 1, "reductions": [3]},
    ],
}
WORKERS = [
    {"instructions": [{"indices": [[0, 10]]}, {"indices": [[0, 4], [0, 4], [0, 70]]}, {"indices": [[0, 4], [0, 4], [0, 100]]},
                      {}, {"indices": [[0, 4], [0, 4], [0, 3]]}]},
    {"instructions": [{}, {"indices": [[4, 10], [0, 4], [70, 100]]}, {"indices": [[4, 10], [0, 4], [0, 100]]}, {},
                      {"indices": [[4, 10], [0, 4], [0, 3]]}]},
]
gathering = Gathering(PROGRAM, WORKERS)
equal("widths of sums over neighbours", gathering.widths(), [4, 4])
equal("what of them", [parts for _, _, parts in gathering.sums], [[(4, 70, 4), (6, 30, 4)], [(4, 40, 4), (6, 60, 4)]])
equal("loads", gathering.loads(), [(32, 440), (48, 360)])
# A row of 16 bytes for each edge, the table of 160 bytes once by simulation.
equal("nothing cached", gathering.bytes(0), [[16 * 70 - 160, 16 * 30 - 160], [16 * 40 - 160, 16 * 60 - 160]])
equal("a quarter cached", gathering.bytes(40)[0], [12 * 70 - 160, 12 * 30 - 160])
equal("all cached", gathering.bytes(160), [[0, 0], [0, 0]])

DEVICE = {"flops": {"f32": 100}, "memory_bytes": 1000, "memory_bandwidth": 20,
          "efficiency": {"contraction": {"most": 1, "half_flops": 10}, "convolution": {"most": 1, "half_flops": 10}, "memory": 0.5}}
RESULT = {"step_seconds": 7, "out_of_memory": False, "communication_bytes": 5,
          "gpus": [{"compute_seconds": 2, "peak_bytes": 3}, {"compute_seconds": 4, "peak_bytes": 1}]}
found = Simulated(RESULT, gathering, {"device": DEVICE}, Assumed(cache=0), 1)
# 10 bytes/s: 96 and 32 s, then 48 and 80 s; the slower of each delays all.
near("seconds of a step", found.seconds, 7 + 96 + 80)
equal("seconds of workers", found.worker_seconds, [2 + 96 + 48, 4 + 32 + 80])
near("imbalance", found.imbalance, 146 / 131)
equal("the fullest GPU", found.peak, 3)

MACHINE = {"name": "m", "device": DEVICE, "nodes": [{"name": "g"}, {"name": "nvlink"}, {"name": "host"}],
           "links": [{"between": ["g", "nvlink"], "bytes_per_second": 40}, {"between": ["g", "host"], "bytes_per_second": 8}]}
small = scaled(MACHINE, 4, nvlink=False)
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
