#!/usr/bin/env python3
"""The largest load of a device, on graphs that others have published.

Task graphs, and the exact contiguous split, of "Efficient Algorithms for Device
Placement of DNN Graph Operators" (NeurIPS 2020), from a copy of
github.com/msr-fiddle/dnn-partitioning that is given. Times in it are
milliseconds. CPUs are left out, for them and for us: they would take no node.

    public_graphs.py FOLDER [--dp PROGRAM] [--smexc PROGRAM] [--seconds S]

--dp is their throughput-dp/dp.cpp, compiled; its splits are what `theirs` says.
Their split is contiguous, so a placement that is not may undercut it. Training
graphs keep what they ask to have on one device.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

MILLISECOND = 1e-3
# A transfer's cost becomes bytes; at this rate a rounded byte is 1 ps.
BYTES_PER_SECOND = 1e12


def task_graph(theirs):
    name = {node["id"]: str(node["id"]) for node in theirs["nodes"]}
    nodes = []
    for node in theirs["nodes"]:
        task = {"name": name[node["id"]], "time": node["fpgaLatency"] * MILLISECOND,
                "memory": round(node["size"]), "kind": "residual"}
        if "colorClass" in node:
            task["together"] = node["colorClass"]
        nodes.append(task)
    edges = [{"from": name[edge["sourceId"]], "to": name[edge["destId"]],
              "bytes": round(edge["cost"] * MILLISECOND * BYTES_PER_SECOND)} for edge in theirs["edges"]]
    return {"format": "smex-task-graph", "version": 1, "nodes": nodes, "edges": edges,
            "devices": {"bytes_per_second": BYTES_PER_SECOND}}


def without_cpus(theirs):
    return dict(theirs, maxCPUs=0)


def their_load(program, theirs, limit):
    """Milliseconds, and seconds that it took; none if it did not end in time."""
    begin = time.time()
    try:
        done = subprocess.run([program], input=json.dumps(without_cpus(theirs)), text=True,
                              capture_output=True, timeout=limit, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None, time.time() - begin
    return max(device["load"] for device in json.loads(done.stdout)["fpgas"]), time.time() - begin


def our_load(smexc, graph, gpus, algorithm, folder):
    """Milliseconds of the largest load, its bound, and seconds that it took."""
    source, result = os.path.join(folder, "graph.json"), os.path.join(folder, "placement.json")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(graph, file)
    begin = time.time()
    done = subprocess.run([smexc, "place", source, "--gpus", str(gpus), "--pipeline", "--algorithm", algorithm,
                           "--output", result], capture_output=True, text=True)
    took = time.time() - begin
    if done.returncode:
        sys.exit(f"{' '.join(done.args)}: {done.stderr}")
    with open(result, encoding="utf-8") as file:
        found = json.load(file)
    return found["largest_load_seconds"] / MILLISECOND, found["lower_bound_seconds"] / MILLISECOND, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--dp")
    parser.add_argument("--smexc", default="bazel-bin/tools/smexc")
    parser.add_argument("--seconds", type=float, default=60, help="that --dp may take for one graph (60)")
    options = parser.parse_args()
    files = sorted(glob.glob(os.path.join(options.folder, "throughput-inputs", "*", "*.json")))
    if not files:
        sys.exit(f"{options.folder}: no throughput-inputs/*/*.json there; it is to be a copy of msr-fiddle/dnn-partitioning")
    print(f"{'ms':40} {'nodes':>6} {'K':>2} {'theirs':>9} {'s':>6} {'contiguous':>10} {'s':>6} {'pipeline':>9} {'s':>6}"
          f" {'bound':>9} {'gap':>7}")
    near = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            with open(path, encoding="utf-8") as file:
                theirs = json.load(file)
            graph, gpus = task_graph(theirs), theirs["maxFPGAs"]
            load, took = their_load(options.dp, theirs, options.seconds) if options.dp else (None, 0)
            split, _, split_took = our_load(options.smexc, graph, gpus, "contiguous", folder)
            best, bound, best_took = our_load(options.smexc, graph, gpus, "pipeline", folder)
            gap = best / bound - 1 if bound else 0
            near += gap <= 0.05
            name = os.path.relpath(path, os.path.join(options.folder, "throughput-inputs"))[:-len(".json")]
            print(f"{name:40} {len(graph['nodes']):6} {gpus:2} {'-' if load is None else f'{load:.2f}':>9} {took:6.1f}"
                  f" {split:10.2f} {split_took:6.1f} {best:9.2f} {best_took:6.1f} {bound:9.2f} {100 * gap:6.1f} %", flush=True)
    print(f"{near} of {len(files)} within 5 % of the bound")


if __name__ == "__main__":
    main()
