#!/usr/bin/python3
"""The host's own time to put an instruction on a GPU's streams: with a driver
that does nothing and returns at once (idle_cuda), so that what is measured is
what smex-run adds to the driver's calls.

usage: examples/bench/cuda_submission.py [--layers 100] [--workers 1,2,8] [--steps 300]

Needs a build and nothing else, no GPU:
  bazel build //tools:smexc //tools:smex-run //examples/bench/idle_cuda:libcuda.so.1

A training step of so many dense layers, whose kernels are all the plan's own
(smexc --reproducible): a library's calls take time that is not smex-run's. An
instruction of a worker is one launch, with the events that it waits for and that
it records. `eager`: each is submitted (--no-cuda-graphs). `graph`: a step is one
launch, whatever its length. Both are the median of the steps by the clock,
divided by the instructions of all workers: workers are threads, and share this
machine's cores. The aim is 5 microseconds, the driver's own time included, which
it is not here.
"""
import argparse, json, os, statistics, subprocess, tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BIN = os.path.join(ROOT, "bazel-bin")


def write_model(path, layers, width=16):
    values, nodes, parameters = ["x"], [], []
    for i in range(layers):
        parameters.append({"name": f"w{i}", "type": "f32", "shape": [width, width], "drawn": 0.1})
        nodes.append({"op": "MatMul", "name": f"m{i}", "inputs": [values[-1], f"w{i}"], "outputs": [f"y{i}"]})
        nodes.append({"op": "Tanh", "name": f"t{i}", "inputs": [f"y{i}"], "outputs": [f"z{i}"]})
        values.append(f"z{i}")
    with open(path, "w") as f:
        json.dump({"format": "smex-model", "version": 1, "opset": 17,
                   "inputs": [{"name": "x", "type": "f32", "shape": [16, width]}],
                   "parameters": parameters, "nodes": nodes, "outputs": values[-1:]}, f)


def call(*command):
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BIN, "examples/bench/idle_cuda"))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=100)
    parser.add_argument("--workers", default="1,2,8")
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    smexc, run = (os.path.join(BIN, "tools", name) for name in ("smexc", "smex-run"))
    print(f"{'workers':>7} {'instructions':>12} {'eager us/step':>13} {'ns each':>8} {'graph us/step':>13} {'ns each':>8}")
    with tempfile.TemporaryDirectory() as folder:
        model, plan, file = (os.path.join(folder, name) for name in ("model.json", "plan", "file.json"))
        write_model(model, arguments.layers)
        for workers in arguments.workers.split(","):
            call(smexc, model, "--train", "--loss", "mse", "--gpus", workers, "--cuda-arch", "sm_80", "--reproducible", "-o", plan)
            step = [run, plan, "--backend", "cuda", "--allow-nonfinite-loss"]
            call(*step, "--trace", file)
            with open(file) as f:
                count = sum(event["ph"] == "X" for event in json.load(f)["traceEvents"])
            row = []
            for options in (["--no-cuda-graphs"], []):
                call(*step, "--steps", str(arguments.steps), "--metrics", file, *options)
                with open(file) as f:
                    seconds = [each["seconds"] for each in json.load(f)["steps"]]
                row.append(statistics.median(seconds[2:]))
            eager, graph = row
            print(f"{workers:>7} {count:>12} {eager * 1e6:>13.1f} {eager / count * 1e9:>8.1f}"
                  f" {graph * 1e6:>13.1f} {graph / count * 1e9:>8.1f}")


if __name__ == "__main__":
    main()
