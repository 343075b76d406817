#!/usr/bin/env python3
"""--bound: what values choose, with room for fewer rows than there could be, against NumPy. Up to the bound the results
are those of any plan, on any number of GPUs; one row more is refused in every step, before anything is written.

usage: bounds.py SMEXC SMEX_RUN
"""

import json
import os
import subprocess
import sys

import numpy as np

ROWS, COLUMNS, MOST = 40, 16, 6
WEIGHT = (np.arange(COLUMNS * COLUMNS) * 7 % 5 - 2).reshape(COLUMNS, COLUMNS)


def done(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def command(*words):
    result = done(*words)
    assert result.returncode == 0, f"{' '.join(map(str, words))}\n{result.stdout}{result.stderr}"
    return result.stdout


def refused(result, status, *parts):
    assert result.returncode == status, f"status {result.returncode}\n{result.stdout}{result.stderr}"
    for part in parts:
        assert part in result.stderr, f'no "{part}" in\n{result.stderr}'


def save(name, **model):
    with open(name, "w", encoding="utf-8") as file:
        json.dump({"format": "smex-model", "version": 1, "opset": 17, **model}, file)


def write_models():
    inputs = [{"name": "x", "type": "f32", "shape": [ROWS, COLUMNS]}, {"name": "keep", "type": "bool", "shape": [ROWS]}]
    weight = {"name": "w", "type": "f32", "shape": [COLUMNS, COLUMNS], "values": WEIGHT.ravel().tolist()}
    axis = {"name": "axis", "type": "i64", "shape": [1], "values": [0]}
    choose = {"op": "Compress", "name": "choose", "inputs": ["x", "keep"], "outputs": ["rows"], "attributes": {"axis": 0}}
    save("model.json", inputs=inputs, parameters=[weight, axis],
         nodes=[choose,
                {"op": "MatMul", "inputs": ["rows", "w"], "outputs": ["products"]},
                {"op": "ReduceSum", "inputs": ["rows", "axis"], "outputs": ["sum"], "attributes": {"keepdims": 0}},
                {"op": "Concat", "inputs": ["rows", "x"], "outputs": ["both"], "attributes": {"axis": 0}},
                {"op": "NonZero", "name": "where", "inputs": ["keep"], "outputs": ["places"]},
                {"op": "Add", "inputs": ["one", "one"], "outputs": ["known"]}],
         outputs=["rows", "products", "sum", "both", "places"])
    model = json.load(open("model.json", encoding="utf-8"))
    model["parameters"].append({"name": "one", "type": "f32", "shape": [], "values": 1})
    model["outputs"].append("known")
    save("model.json", **{key: value for key, value in model.items() if key not in ("format", "version", "opset")})
    # The mean of squares of rows that are chosen, times a weight.
    save("training.json", inputs=inputs, parameters=[weight],
         nodes=[choose,
                {"op": "MatMul", "inputs": ["rows", "w"], "outputs": ["products"]},
                {"op": "Mul", "inputs": ["products", "products"], "outputs": ["squares"]},
                {"op": "ReduceMean", "inputs": ["squares"], "outputs": ["cost"], "attributes": {"keepdims": 0}}],
         outputs=["cost"])


def draw(random, count):
    keep = np.zeros(ROWS, bool)
    keep[random.permutation(ROWS)[:count]] = True
    return {"x": random.integers(-8, 9, (ROWS, COLUMNS)).astype(np.float32), "keep": keep}


def give(values):
    words = []
    for name, value in values.items():
        np.save(f"{name}.npy", value)
        words += ["--input", f"{name}={name}.npy"]
    return words


def behind(rows, most):
    """With zeros up to `most` rows."""
    return np.concatenate([rows, np.zeros((most - len(rows), *rows.shape[1:]), rows.dtype)])


def peak(plan):
    with open(f"{plan}/plan.json", encoding="utf-8") as file:
        return max(json.load(file)["totals"]["peak_bytes"])


def check_inference(smexc, smex_run, random):
    for gpus in 1, 3:
        command(smexc, "model.json", "--gpus", gpus, "-o", f"all{gpus}")
        command(smexc, "model.json", "--gpus", gpus, "-o", f"few{gpus}", "--bound", f"choose={MOST}", "--bound", f"places={MOST}")
        command(smexc, "check", f"few{gpus}", "--model", "model.json")
        assert peak(f"few{gpus}") < peak(f"all{gpus}")
        for count in 0, 1, 3, MOST:
            values = draw(random, count)
            command(smex_run, f"few{gpus}", *give(values), "--output-dir", "out", "--verify")
            rows = values["x"][values["keep"]]
            expected = {
                "rows": behind(rows, MOST), "products": behind(rows @ WEIGHT, MOST), "sum": rows.sum(0), "both": behind(np.concatenate([rows, values["x"]]), MOST + ROWS),
                "places": behind(np.flatnonzero(values["keep"])[:, None], MOST).T, "choose.count": np.array(count),
                "where.count": np.array(count)}
            for name, value in expected.items():
                got = np.load(f"out/{name}.npy")
                assert got.shape == value.shape and (got == value).all(), f"{name}, {count} rows, {gpus} GPUs:\n{got}\nis not\n{value}"
        for count in MOST + 1, ROWS:
            result = done(smex_run, f"few{gpus}", *give(draw(random, count)), "--output-dir", "none")
            refused(result, 1, f'output "choose.count" is {count}, 0 to {MOST} allowed: the plan has no room for more (smexc --bound)')
            assert not os.path.exists("none/rows.npy")
    # A node may be bounded by one of its names, or by both: the smaller number counts.
    command(smexc, "model.json", "--gpus", 1, "-o", "both", "--bound", "choose=9", "--bound", "rows=2", "--bound", "where=1000")
    command(smex_run, "both", *give(draw(random, 2)), "--output-dir", "out")
    assert np.load("out/rows.npy").shape == (4, COLUMNS), "room for four rows is the least"
    assert np.load("out/places.npy").shape == (1, ROWS)
    refused(done(smex_run, "both", *give(draw(random, 3)), "--output-dir", "none"), 1, 'output "choose.count" is 3, 0 to 2 allowed')


def check_training(smexc, smex_run, random):
    steps = [draw(random, count) for count in (3, MOST, 1, 4)]
    stacked = {name: np.stack([step[name] for step in steps]) for name in steps[0]}
    losses = {}
    for gpus in 1, 3:
        for name, bound in ("all", []), ("few", ["--bound", f"choose={MOST}"]):
            plan = f"{name}{gpus}.train"
            command(smexc, "training.json", "--gpus", gpus, "-o", plan, "--train", "--loss", "given:cost", "--optimizer", "sgd", "--lr", 1e-3, *bound)
            command(smex_run, plan, *give(stacked), "--steps", 4, "--metrics", "metrics.json", "--save-parameters", f"{plan}.safetensors")
            losses[plan] = [step["loss"] for step in json.load(open("metrics.json", encoding="utf-8"))["steps"]]
    first = losses["all1.train"]
    assert len(first) == 4 and first[0] > 0
    for plan, others in losses.items():
        assert np.allclose(first, others, rtol=1e-5), f"{plan}: {others}, not {first}"
    # The third step of four chooses too many; no parameters are saved.
    steps[2] = draw(random, MOST + 1)
    stacked = {name: np.stack([step[name] for step in steps]) for name in steps[0]}
    result = done(smex_run, "few3.train", *give(stacked), "--steps", 4, "--save-parameters", "none.safetensors")
    refused(result, 1, f'output "choose.count" is {MOST + 1}, 0 to {MOST} allowed')
    assert not os.path.exists("none.safetensors")


def check_messages(smexc):
    def compiled(*words):
        return done(smexc, "model.json", "--gpus", 1, "-o", "none", *words)

    nodes = 'values decide that of "choose", "where"'
    refused(compiled("--bound", "chose=3"), 1, '--bound "chose": no node, and no node\'s first output, has this name; ' + nodes)
    refused(compiled("--bound", "known=3"), 1, '--bound "known": how many rows this node gives is known at compile time; ' + nodes)
    refused(compiled("--bound", "choose=0"), 2, "--bound choose=0: the value must be a number, 1 or more")
    refused(compiled("--bound", "choose=x"), 2, "--bound choose=x: the value must be a number, 1 or more")
    refused(compiled("--bound", "choose"), 2, "--bound choose: give it as NAME=VALUE")
    refused(compiled("--bound", "choose=3", "--bound", "choose=4"), 2, '--bound choose=4: "choose" has a bound already')
    keep = draw(np.random.default_rng(1), 3)["keep"]
    np.save("keep.npy", keep)
    refused(compiled("--constant", "keep=keep.npy", "--bound", "choose=3"), 1,
            '--bound "choose": how many rows this node gives is known at compile time; values decide that of no node')
    assert not os.path.exists("none")


def main():
    smexc, smex_run = map(os.path.abspath, sys.argv[1:])
    os.chdir(os.environ.get("TEST_TMPDIR", "."))
    random = np.random.default_rng(12)
    write_models()
    check_messages(smexc)
    check_inference(smexc, smex_run, random)
    check_training(smexc, smex_run, random)


main()
