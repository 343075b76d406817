#!/usr/bin/env python3
"""Inputs whose parts are indices into different things, against NumPy: every index that is one is taken, on any number of
GPUs, and every other one is refused before the run, by element and range.

usage: index_ranges.py SMEXC SMEX_RUN
"""

import itertools
import json
import os
import subprocess
import sys

import numpy as np

ROWS, COLUMNS, ITEMS = 10, 4, 6


def done(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def command(*words):
    result = done(*words)
    assert result.returncode == 0, f"{' '.join(map(str, words))}\n{result.stdout}{result.stderr}"


def integers(values):
    return {"type": "i64", "shape": [len(values)], "values": values}


def write_model():
    """y: GatherND of both columns; u, v: rows of two tables at both ends of edges; s: of a slice; c: one branch of two."""
    parameters = [{"name": "at0", "type": "i64", "shape": [], "values": 0}, {"name": "at1", "type": "i64", "shape": [], "values": 1}]
    parameters += [{"name": name, **integers(value)} for name, value in {"one": [1], "three": [3], "zero": [0]}.items()]

    def branch(table):
        return {"graph": {"nodes": [{"op": "Gather", "inputs": [table, "either"], "outputs": [table + "_rows"]}],
                          "outputs": [table + "_rows"]}}

    model = {
        "format": "smex-model", "version": 1, "opset": 17, "parameters": parameters,
        "inputs": [{"name": "table", "type": "f32", "shape": [ROWS, COLUMNS]}, {"name": "items", "type": "f32", "shape": [ITEMS, COLUMNS]},
                   {"name": "cells", "type": "i64", "shape": [5, 2]}, {"name": "edges", "type": "i32", "shape": [2, 7]},
                   {"name": "mixed", "type": "i64", "shape": [6]}, {"name": "first", "type": "bool", "shape": []},
                   {"name": "either", "type": "i64", "shape": [3]}],
        "nodes": [
            {"op": "GatherND", "inputs": ["table", "cells"], "outputs": ["y"]},
            {"op": "Gather", "inputs": ["edges", "at0"], "outputs": ["from"]},
            {"op": "Gather", "inputs": ["edges", "at1"], "outputs": ["to"]},
            {"op": "Gather", "inputs": ["table", "from"], "outputs": ["u"]},
            {"op": "Gather", "inputs": ["items", "to"], "outputs": ["v"]},
            {"op": "Slice", "inputs": ["mixed", "one", "three"], "outputs": ["some"]},
            {"op": "Gather", "inputs": ["items", "some"], "outputs": ["s"]},
            {"op": "If", "inputs": ["first"], "outputs": ["c"],
             "attributes": {"then_branch": branch("table"), "else_branch": branch("items")}},
        ],
        "outputs": ["y", "u", "v", "s", "c"],
    }
    with open("model.json", "w", encoding="utf-8") as file:
        json.dump(model, file)


def draw(random):
    def index(extent, size):
        return random.integers(-extent, extent, size)

    first = bool(random.integers(0, 2))
    return {
        "table": random.standard_normal((ROWS, COLUMNS)).astype(np.float32),
        "items": random.standard_normal((ITEMS, COLUMNS)).astype(np.float32),
        "cells": np.stack([index(ROWS, 5), index(COLUMNS, 5)], 1),
        "edges": np.stack([index(ROWS, 7), index(ITEMS, 7)]).astype(np.int32),
        # What the slice leaves out is no index.
        "mixed": np.concatenate([[10 ** 12], index(ITEMS, 2), [-10 ** 12, 99, -99]]),
        "first": np.array(first),
        "either": index(ROWS if first else ITEMS, 3),
    }


def expected(given):
    table, items, cells, edges = (given[name] for name in ("table", "items", "cells", "edges"))
    return {"y": table[cells[:, 0], cells[:, 1]], "u": table[edges[0]], "v": items[edges[1]], "s": items[given["mixed"][1:3]],
            "c": (table if given["first"] else items)[given["either"]]}


def run(given, *options):
    arguments = []
    for name, value in given.items():
        np.save(name + ".npy", value)
        arguments += ["--input", f"{name}={name}.npy"]
    return done(RUN, "plan", *arguments, "--output-dir", "out", *options)


def main():
    random = np.random.default_rng(12)
    write_model()
    for gpus in (1, 2, 3):
        command(SMEXC, "model.json", "--gpus", gpus, "--cuda-arch", "none", "-o", "plan")
        command(SMEXC, "check", "plan")
        command(RUN, "plan", "--verify")  # on synthetic inputs, which are in the ranges, too
        for trial in range(8):
            given = draw(random)
            result = run(given, "--verify")
            assert result.returncode == 0, f"seed 12, trial {trial}: {given}\n{result.stderr}"
            for name, value in expected(given).items():
                np.testing.assert_array_equal(np.load(f"out/{name}.npy"), value, err_msg=f"{name} on {gpus} GPUs")
        for (name, place, extent), low in itertools.product(
                (("cells", (3, 0), ROWS), ("cells", (4, 1), COLUMNS), ("edges", (0, 6), ROWS), ("edges", (1, 0), ITEMS), ("mixed", (2,), ITEMS)),
                (True, False)):
            given = draw(random)
            given[name][place] = wrong = -extent - 1 if low else extent
            result = run(given)
            message = f"input \"{name}\": {name}.npy: element {list(place)} is {wrong}, {-extent} to {extent - 1} allowed"
            assert result.returncode == 1 and message in result.stderr, f"{message}:\n{result.stderr}"


if __name__ == "__main__":
    SMEXC, RUN = (os.path.abspath(path) for path in sys.argv[1:3])
    os.chdir(os.environ.get("TEST_TMPDIR", "."))
    main()
