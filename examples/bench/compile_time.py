#!/usr/bin/python3
"""Time to compile an unrolled LSTM against its number of timesteps, and small
nodes that follow each other against how many there are.

usage: examples/bench/compile_time.py [--gpus 8] [--steps 50,200,800] [--nodes 10000,20000,40000,80000] [--rounds 3]

Needs a build (bazel build //tools:smexc //tools:smex-run) and nothing else: the
models are JSON, with drawn weights. Of every number the least of the rounds is
shown. The aims: 800 timesteps under 10 s, and no more per operator than at 200;
80,000 small nodes in 5.8 s, 0.07 ms each, and no more per node than of 10,000.
"""
import argparse, json, os, subprocess, sys, tempfile, time

os.environ.pop("SMEX_KERNEL_CACHE", None)  # code is generated
BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin/tools")
HIDDEN, BATCH = 64, 8
STAGES = ["search", "codegen", "compile", "total"]  # codegen runs beside the search


def drawn(name, shape):
    return {"name": name, "type": "f32", "shape": shape, "drawn": 0.1}


def write_lstm(path, steps):
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


def write_nodes(path, count):
    """Each reads the one before it, and a binary one another of the seven before that."""
    operators = ["Add", "Relu", "Mul", "MatMul", "Tanh", "Sub", "Softmax", "Sigmoid"]
    values, nodes = ["x"], []
    for i in range(count):
        op = operators[(i * 5 + i // 8) % 8]
        inputs = [values[-1]]
        if op in ("Add", "Mul", "Sub"):
            inputs.append(values[max(-1 - i % 7, -len(values))])
        if op == "MatMul":
            inputs.append(f"w{i % 4}")
        values.append(f"v{i}")
        nodes.append({"op": op, "name": f"n{i}", "inputs": inputs, "outputs": values[-1:]})
    model = {
        "format": "smex-model", "version": 1, "opset": 17,
        "inputs": [{"name": "x", "type": "f32", "shape": [8, 16]}],
        "parameters": [drawn(f"w{k}", [16, 16]) for k in range(4)],
        "nodes": nodes, "outputs": values[-1:],
    }
    with open(path, "w") as f:
        json.dump(model, f)


def seconds_of(*command):
    start = time.perf_counter()
    subprocess.run([os.path.join(BIN, command[0]), *command[1:]], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(write_model, size, gpus, work):
    """Seconds of each stage, of check and of run, and the number of operators."""
    model, plan, stats = (os.path.join(work, name) for name in ["model.json", "plan", "stats.json"])
    write_model(model, size)
    seconds_of("smexc", model, "--gpus", str(gpus), "-o", plan, "--stats", stats)
    with open(stats) as f:
        row = json.load(f)
    seconds = {stage: row[stage + "_seconds"] for stage in STAGES}
    seconds["check"] = seconds_of("smexc", "check", plan)
    seconds["run"] = seconds_of("smex-run", plan)
    return seconds, row["operators"]


def print_table(what, write_model, sizes, gpus, rounds, work, perNode):
    columns = STAGES + ["check", "run"]
    each = "node" if perNode else "operator"
    print(f"{what:>6}{'GPUs':>6}{'operators':>11}" + "".join(f"{name:>9}" for name in columns) + f"   ms per {each}")
    for size in sizes:
        for count in gpus:
            measured = [measure(write_model, size, count, work) for _ in range(rounds)]
            operators = measured[0][1]
            best = {name: min(seconds[name] for seconds, _ in measured) for name in columns}
            print(f"{size:6}{count:6}{operators:11}" + "".join(f"{best[name]:9.2f}" for name in columns) +
                  f"{1000 * best['total'] / (size if perNode else operators):18.3f}", flush=True)


def main():
    def numbers(text):
        return [int(number) for number in text.split(",") if number]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--steps", type=numbers, default="50,200,800")
    parser.add_argument("--nodes", type=numbers, default="10000,20000,40000,80000")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print("seconds; codegen runs beside the search")
    with tempfile.TemporaryDirectory() as work:
        print(f"\nLSTM, hidden {HIDDEN}, batch {BATCH}")
        print_table("steps", write_lstm, args.steps, [args.gpus], args.rounds, work, False)
        print("\nSmall nodes, 8 x 16")
        print_table("nodes", write_nodes, args.nodes, [1, args.gpus], args.rounds, work, True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
