#!/usr/bin/env python3
"""Layers of PyTorch Geometric as models of smex: the loss and all gradients, of every third layer also the result, as PyG and
PyTorch have them (test/models/pyg_layers), each by a plan for its graph or with room for others, on 1, 3 or 8 workers, in turns.

usage: pyg_layers.py SMEXC SMEX_RUN PART OF      (one of so many parts of all layers)
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

SMEXC, RUN = map(os.path.abspath, sys.argv[1:3])
PART, OF = map(int, sys.argv[3:])
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../models/pyg_layers")
WAYS = [(1, "graph"), (3, "graph"), (8, "graph"), (1, "room"), (3, "room"), (8, "room")]
NEAR = 2e-4  # of the largest element
MORE_NODES, MORE_EDGES = 3, 4
CONSTANTS = {"axis0": 0, "axis2": 2}  # that models name


def call(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr.strip()[-900:]}"


def write_safetensors(path, values):
    header, data = {}, b""
    for name, value in values.items():
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + int.from_bytes(data[:8], "little")
    return {name: np.frombuffer(data[begin:][slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
            for name, entry in json.loads(data[8:begin]).items() if name != "__metadata__"}


def floats(values):
    return np.array(values, np.float32)


class Layer:
    def __init__(self, shared, layer):
        self.shared, self.layer = shared, layer
        self.nodes, self.edges = len(shared["x0"]), len(shared["edges"])
        read = {name for node in layer["nodes"] for name in node["inputs"]}
        self.typed = "types" in read
        shapes = {"x0": ["nodes", len(shared["x0"][0])], "u0": ["edges", len(shared["u0"][0])], "pos": ["nodes", len(shared["pos"][0])]}
        graph = {"nodes": "nodes", "edges": "edges", "sources": "src", "destinations": "dst"}
        if self.typed:
            graph.update(types="types", relations=shared["relations"])
        self.parameters = {name: floats(value) for name, value in layer["parameters"].items()}
        self.arrays = {name: floats(shared[name]) for name in shapes if name in read}
        self.result = floats(layer["result"])
        self.arrays["labels"] = np.ascontiguousarray(floats(shared["labels"])[:, :self.result.shape[1]])
        self.arrays["counted"] = np.ones(self.nodes, np.int64)
        self.model = {
            "format": "smex-model", "version": 1, "opset": 17, "graph": graph,
            "inputs": [{"name": name, "type": "f32", "shape": shapes[name]} for name in shapes if name in read],
            "parameters": [{"name": name, "type": "f32", "shape": value.shape, "drawn": 0.5} for name, value in self.parameters.items()]
            + [{"name": name, "type": "i64", "shape": [1], "values": [value]} for name, value in CONSTANTS.items() if name in read],
            "nodes": layer["nodes"], "outputs": ["y"]}
        self.in_mailboxes = any(node["op"] == "reduce_mailboxes" for node in layer["nodes"])

    def write(self):
        with open("model.json", "w", encoding="utf-8") as file:
            json.dump(self.model, file)
        with open("edges.mtx", "w", encoding="utf-8") as file:
            file.write(f"%%MatrixMarket matrix coordinate {'integer' if self.typed else 'pattern'} general\n"
                       f"{self.nodes} {self.nodes} {self.edges}\n")
            for (source, end), kind in zip(self.shared["edges"], self.shared["types"]):
                file.write(f"{source + 1} {end + 1}{f' {kind}' if self.typed else ''}\n")
        for name, value in self.arrays.items():
            np.save(name + ".npy", value)

    def compile(self, folder, workers, way, *more):
        bound = ["--dim", f"nodes={self.nodes + MORE_NODES}", "--dim", f"edges={self.edges + MORE_EDGES}"]
        if way == "graph" or self.in_mailboxes:
            bound = ["--graph", "edges.mtx", *(["--graph-room", "0.5"] if way == "room" else [])]
        call(SMEXC, "model.json", "--ops", os.path.join(FOLDER, "operators.txt"), *bound, "--gpus", workers, "--cuda-arch", "none", "-o",
             folder, *more)

    def run(self, folder, way, *more):
        """Gives what the plan has."""
        with open(os.path.join(folder, "program.json"), encoding="utf-8") as file:
            has = file.read()
        write_safetensors("before.safetensors", {name: value for name, value in self.parameters.items() if f'"{name}"' in has})
        given = [word for name in self.arrays if f'"{name}"' in has for word in ("--input", f"{name}={name}.npy")]
        graph = ["--graph", "edges.mtx"] if way == "room" else []
        call(RUN, folder, "--parameters", "before.safetensors", *given, *graph, "--threads", 1, *more)

    def check(self, workers, way):
        """Yields what is not near."""
        self.write()
        if workers == 3:  # of the others, the loss says whether the result is right
            self.compile("evaluated", workers, way)
            self.run("evaluated", way, "--output-dir", "out")
            yield from far("the result", np.load("out/y.npy")[:self.nodes], self.result)
        counted = ["--counted"] if way == "room" else []
        self.compile("trained", workers, way, "--train", "--loss", "mse", *counted, "--optimizer", "sgd", "--lr", 1)
        self.run("trained", way, "--save-parameters", "after.safetensors", "--metrics", "metrics.json")
        with open("metrics.json", encoding="utf-8") as file:
            yield from far("the loss", floats([json.load(file)["steps"][0]["loss"]]), floats([self.layer["loss"]]))
        after = read_safetensors("after.safetensors")
        for name, before in self.parameters.items():
            # A step of 1 takes the gradient off, to the parameter's last digits.
            yield from far(f"the gradient of {name}", before - after.get(name, before), floats(self.layer["gradients"][name]),
                           0.01 * np.abs(before).max())


def far(what, found, wanted, least=0):
    scale = max(np.abs(wanted).max(), least, 1e-3)
    off = np.abs(found - wanted).max() / scale
    if found.shape != wanted.shape or not off < NEAR:
        yield f"{what} is off by {off:.1e}"


def main():
    with open(os.path.join(FOLDER, "layers.json"), encoding="utf-8") as file:
        shared = json.load(file)
    failed = 0
    for number, (name, layer) in enumerate(shared["layers"].items()):
        if number % OF != PART:
            continue
        workers, way = WAYS[number // OF % len(WAYS)]
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                wrong = list(Layer(shared, layer).check(workers, way))
            except AssertionError as error:
                wrong = [str(error)]
            os.chdir("/")
        print(f"{name}, {workers} workers, {way}: {'; '.join(wrong) or 'as PyG'}", flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
