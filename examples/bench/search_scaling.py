#!/usr/bin/python3
"""Time of the partition search against operators and against GPUs.

usage: examples/bench/search_scaling.py [--sizes N] [--most-gpus N]

Needs a build (bazel build //examples/bench:search //tools:smex-zoo). Training
graphs; seconds of the processor, memory of the search alone, without the bound
of the whole plan; then the seconds with it. The aim: no more of either per
operator at 100,000 operators than at 3,000, and WResNet-152-10 and RNN-10-8K on
8 GPUs under 0.2 s.
"""
import argparse, json, os, subprocess, tempfile

BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin")
MODELS = [
    ("RNN-10-8K, batch 128", "rnn --layers 10 --hidden 8192 --batch 128"),
    ("WResNet-152-10, batch 8", "wresnet --depth 152 --width 10 --batch 8"),
    ("RNN-2-1K, 100 steps", "rnn --layers 2 --hidden 1024 --batch 128 --steps 100"),
    ("RNN-2-1K, 400 steps", "rnn --layers 2 --hidden 1024 --batch 128 --steps 400"),
    ("RNN-2-1K, 1600 steps", "rnn --layers 2 --hidden 1024 --batch 128 --steps 1600"),
    ("RNN-2-1K, 2800 steps", "rnn --layers 2 --hidden 1024 --batch 128 --steps 2800"),
    ("MLP-1000", "mlp --layers 1000"),
    ("MLP-4000", "mlp --layers 4000"),
]


def search(model, *options):
    def run(*more):
        out = subprocess.run([os.path.join(BIN, "examples/bench/search"), *options, *more, model], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        return json.loads(out)

    return dict(run("--no-bound"), with_bound=run()["seconds"])


def show(name, row):
    exact = sum(step["optimal"] for step in row["steps"])
    tied = "  timesteps tied" if any(step["tied"] for step in row["steps"]) else ""
    operators = row["operators"]
    print(f"{name:26}{row['gpus']:6}{operators:11}{row['import_seconds']:10.2f}{row['seconds']:10.2f}"
          f"{1e6 * row['seconds'] / operators:14.0f}{row['search_bytes'] / 2**20:8.0f}"
          f"{row['search_bytes'] / 2**10 / operators:15.1f}{row['with_bound']:14.2f}{exact:7} of {len(row['steps'])}{tied}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, default=len(MODELS), help="so many of the models")
    parser.add_argument("--most-gpus", type=int, default=1024)
    args = parser.parse_args()
    print(f"{'':26}{'GPUs':>6}{'operators':>11}{'import s':>10}{'search s':>10}{'us/operator':>14}"
          f"{'MiB':>8}{'KiB/operator':>15}{'with bound s':>14}   optimal steps")
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "model.json")
        for name, arguments in MODELS[:args.sizes]:
            subprocess.run([os.path.join(BIN, "tools/smex-zoo"), *arguments.split(), "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            show(name, search(path))
            if name.startswith("WResNet"):
                gpus = 16
                while gpus <= args.most_gpus:
                    show(name, search(path, "--gpus", str(gpus)))
                    gpus *= 4


main()
