#!/usr/bin/python3
"""Time to compile an unrolled LSTM against its number of timesteps.

usage: examples/bench/compile_time.py [--gpus 8] [--steps 50,200,800] [--rounds 3]

Needs a build (bazel build //tools:smexc //tools:smex-run) and nothing else: the
models are JSON, with drawn weights. Of every number the least of the rounds is
shown. The aim: 800 timesteps under 10 s, and no more per operator than at 200.
"""
import argparse, json, os, subprocess, sys, tempfile, time

BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin/tools")
HIDDEN, BATCH = 64, 8
STAGES = ["search", "codegen", "compile", "total"]  # codegen runs beside the search


def write_model(path, steps):
    def drawn(name, shape):
        return {"name": name, "type": "f32", "shape": shape, "drawn": 0.1}

    model = {
        "format": "smex-model", "version": 1, "opset": 14,
        "inputs": [{"name": "x", "type": "f32", "shape": [steps, BATCH, HIDDEN]}],
        "parameters": [drawn("w", [1, 4 * HIDDEN, HIDDEN]), drawn("r", [1, 4 * HIDDEN, HIDDEN]),
                       drawn("b", [1, 8 * HIDDEN])],
        "nodes": [{"op": "LSTM", "name": "lstm", "inputs": ["x", "w", "r", "b"], "outputs": ["y"],
                   "attributes": {"hidden_size": HIDDEN}}],
        "outputs": ["y"],
    }
    with open(path, "w") as f:
        json.dump(model, f)


def seconds_of(*command):
    start = time.perf_counter()
    subprocess.run([os.path.join(BIN, command[0]), *command[1:]], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(steps, gpus, work):
    """Seconds of each stage, of check and of run, and the number of operators."""
    model, plan, stats = (os.path.join(work, name) for name in ["model.json", "plan", "stats.json"])
    write_model(model, steps)
    seconds_of("smexc", model, "--gpus", str(gpus), "-o", plan, "--stats", stats)
    with open(stats) as f:
        row = json.load(f)
    seconds = {stage: row[stage + "_seconds"] for stage in STAGES}
    seconds["check"] = seconds_of("smexc", "check", plan)
    seconds["run"] = seconds_of("smex-run", plan)
    return seconds, row["operators"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--steps", default="50,200,800")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(f"LSTM, hidden {HIDDEN}, batch {BATCH}, {args.gpus} GPUs; seconds")
    columns = STAGES + ["check", "run"]
    print(f"{'steps':>6}{'operators':>11}" + "".join(f"{name:>9}" for name in columns) + "   ms per operator")
    with tempfile.TemporaryDirectory() as work:
        for steps in map(int, args.steps.split(",")):
            rounds = [measure(steps, args.gpus, work) for _ in range(args.rounds)]
            operators = rounds[0][1]
            best = {name: min(seconds[name] for seconds, _ in rounds) for name in columns}
            print(f"{steps:6}{operators:11}" + "".join(f"{best[name]:9.2f}" for name in columns) +
                  f"{1000 * best['total'] / operators:18.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
