#!/usr/bin/env python3
"""A graph's partition on 16 GPUs of 4 nodes: in every sum over neighbours each GPU has about as many edges' numbers to add up
as the mean, by counts; the plan is no slower than the one that cuts vertices in every step; it computes what one worker does.

usage: edge_balance.py FOLDER, of what is built
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.getcwd(), "examples/papers"))
sys.dont_write_bytecode = True

import roc  # noqa: E402

GPUS = 16
SCALE = 640  # 364 vertices, 179,451 edges, of R-MAT
MOST = 1.15  # of the slowest GPU's edges over the mean; equal edges in ranges of vertices are 1.03
ALONG = "along vertices"

bin_folder = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    cluster = roc.Cluster(argparse.Namespace(bin=bin_folder, scale=SCALE, plans=folder))
    case = roc.Case("gcn", roc.REDDIT)
    for partition in ("equal-edges", "learned"):
        if partition == "learned":
            partition = cluster.learned(case, GPUS)
        found = cluster.simulate(case, GPUS, partition)
        assert len(found.sums.sums) == 4, "two layers, forward and backward"
        for width, parts in found.sums.sums:
            loads = [edges * columns for _, edges, columns in parts]
            assert sum(loads) >= width * case.graph.edges / SCALE * 0.99, (sum(loads), "edges are missing")
            ratio = max(loads) * GPUS / sum(loads)
            assert ratio <= MOST, f"{partition}, a sum of width {width}: the slowest has {ratio:.2f} times the mean's edges"

    # As the cluster makes plans, to see what was compared, and to run it.
    stats, plan = os.path.join(folder, "stats.json"), os.path.join(folder, "plan")
    for partition in ("equal-vertices", "equal-edges"):
        subprocess.run([cluster.options.smexc, cluster.model(case.network, case.graph, case.assumed), "--graph",
                        cluster.graph(case.graph, case.assumed), "--gpus", str(GPUS), "--train", "--loss", "cross_entropy",
                        "--optimizer", "adam", "--lr", "0.01", "--graph-partition", partition, "--machine",
                        cluster.machine(case), "--memory-per-gpu", "1024GiB", "--stats", stats, "-o", plan], check=True)
        with open(stats, encoding="utf-8") as file:
            compared = json.load(file)
        seconds = [each["predicted_step_seconds"] for each in compared["plans"] if ALONG in each["search"]]
        assert seconds, "no plan cuts vertices in every step"
        assert compared["predicted_step_seconds"] <= min(seconds), f"{partition}: {compared}"
    subprocess.run([cluster.options.smexc, "check", plan], check=True)
    subprocess.run([os.path.join(bin_folder, "tools/smex-run"), plan, "--steps", "2", "--verify"], check=True)
