#!/usr/bin/env python3
"""How much less the plans of `best` move than those of `tofu`, for every number of GPUs from 2 to 16, and how far both are
from the lower bound.

usage: examples/bench/best_against_tofu.py [--large | --real] [--models NAME,...] [--gpus N,...] [--table-entries N]
       [--bin FOLDER]

Needs a build: bazel build //examples/bench:search //examples/bench:make_graph //tools:smex-zoo //tools:smexc. Exit status 3
if a plan of `best` moves more. Each bound is of the plans that its search may choose from: `tofu` cuts everything, and
brings each sum together by itself; `best` may leave small tensors whole, has workers add up terms of several sums first, and
seeks its bound sixteen times as long. The bound that `best` has without such sums counts for `tofu`, too, where both have
the same steps; of graph networks it is not sought. Graph networks are compiled, for a graph of Cora's size or a small one: a
search alone knows no graph.

`together`: of what `best` took all steps together, exactly: the graph, or what Tofu's coarsening leaves of it; else at which
size of a table it gave up (--table-entries tries another). --real: models as large as smex-zoo has them by default, or as they
are trained.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

MODELS = {
    "mlp": "mlp --batch 256",
    "resnet50": "resnet --depth 50 --batch 32",
    "transformer": "transformer --layers 2 --hidden 256 --heads 4 --sequence 64 --vocabulary 1000 --batch 16",
    "RNN-2-1K": "rnn --layers 2 --hidden 1024 --steps 10 --batch 128",
    "unet": "unet --batch 8",
    "wresnet": "wresnet --depth 50 --width 4 --batch 32",
    "inception": "inception --batch 32",
    "wrn": "wrn --units 4 --batch 64",
    "word-rnn": "word-rnn --steps 10 --batch 128",
    "char-crn": "char-crn --layers 2 --steps 10 --batch 32",
    "trn": "trn --layers 4 --batch 16",
    "e3d": "e3d --layers 2 --steps 4 --batch 4",
}
LARGE = {
    "WResNet-152-10": "wresnet --depth 152 --width 10 --batch 8",
    "RNN-10-8K": "rnn --layers 10 --hidden 8192 --batch 128",
}
REAL = {
    "trn": "trn --batch 64",
    "wrn": "wrn --batch 32",
    "e3d": "e3d --batch 8",
    "GPT": "transformer --layers 12 --hidden 768 --heads 12 --sequence 1024 --vocabulary 50257 --batch 8",
    "WResNet-101-6": "wresnet --depth 101 --width 6 --batch 64",
    "ResNet-152": "resnet --depth 152 --batch 32",
}

# A graph of Cora's size, and a small one of few neighbours, for networks that unroll neighbours or rounds.
CORA = "rmat --nodes 2708 --edges 10556 --skew 0.6"
SMALL = "uniform --nodes 256 --edges 512"
# Of each its words for smex-zoo and its graphs, by name where there are several.
GRAPH_NETWORKS = {
    **{name: (name, {"": CORA}) for name in ("gcn", "gat", "sage", "rgcn", "graph-transformer", "gin", "commnet", "nnconv", "explore")},
    **{name: (name, {relation: f"uniform --nodes 1354 --edges {edges}" for relation, edges in
                     (("follows", 5000), ("rates", 5278), ("rated_by", 5279))}) for name in ("hetero-sage", "hetero-transformer")},
    "sage-lstm": ("sage-lstm --layers 1 --features 64", {"": SMALL}),
    "sage-mailbox": ("sage-mailbox --layers 1 --features 64", {"": SMALL}),
    "treelstm": ("treelstm --vocabulary 1000", {"": "trees --trees 16"}),
    "changing": ("changing --layers 1 --rounds 2 --features 64", {"": SMALL}),
}


def program(args, name):
    return os.path.join(args.bin, name)


def call(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def search(args, path, gpus, *_):
    """Of the plans of `tofu` and `best`: bytes, the bound, and of what `best` took all steps together."""
    tables = ["--table-entries", args.table_entries] if args.table_entries else []
    searched = [program(args, "examples/bench/search"), "--gpus", gpus, *tables]
    tofu, apart, best = (json.loads(call(*searched, "--algorithm", *words, path))
                         for words in (["tofu"], ["best", "--sums-apart"], ["best"]))
    ways = [[step["ways"] for step in row["steps"]] for row in (tofu, apart)]
    bound = max(tofu["lower_bound_bytes"], apart["lower_bound_bytes"] if ways[0] == ways[1] else 0)
    yield tofu["communication_bytes"], bound, ""
    yield (best["communication_bytes"], best["lower_bound_bytes"],
           best["all_steps_together"] or f"gave up at 2^{math.log2(best['table_entries']):.3g}")


def compiled(args, path, gpus, folder, model):
    """The same by plans for a graph."""
    graphs = []
    for name, drawn in GRAPH_NETWORKS[model][1].items():
        graph = os.path.join(folder, f"graph{name}.npz")
        if not os.path.exists(graph):
            call(program(args, "examples/bench/make_graph"), *drawn.split(), "-o", graph)
        graphs += ["--graph", f"{name}={graph}" if name else graph]
    for algorithm in "tofu", "best":
        plan = os.path.join(folder, f"plan.{algorithm}.{gpus}")
        call(program(args, "tools/smexc"), path, *graphs, "--cuda-arch", "none", "--train", "--loss", "cross_entropy", "--optimizer", "momentum",
             "--lr", "0.01", "--gpus", gpus, "--algorithm", algorithm, "-o", plan)
        with open(os.path.join(plan, "plan.json"), encoding="utf-8") as file:
            made = json.load(file)
        yield (made["totals"]["communication_bytes"], made["search"]["lower_bound_bytes"],
               made["search"].get("all_steps_together", "gave up"))


def above(moved, bound):
    return f"{moved / bound - 1 if bound else 0:8.1%}"


def main(args):
    models = {name: (words, search) for name, words in (REAL if args.real else {**MODELS, **(LARGE if args.large else {})}).items()}
    if not args.real:
        models.update({name: (words, compiled) for name, (words, _) in GRAPH_NETWORKS.items()})
    worse = 0
    print(f"{'':18}{'GPUs':>5}{'tofu MiB':>12}{'bound MiB':>12}{'above':>8}{'best MiB':>12}{'saved':>8}{'bound MiB':>12}{'above':>8}"
          f"  together")
    for name, (words, look) in models.items():
        if args.models and name not in args.models.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            call(program(args, "tools/smex-zoo"), *words.split(), "-o", path)
            for gpus in map(int, args.gpus.split(",")):
                (theirs, their_bound, _), (ours, bound, together) = look(args, path, gpus, folder, name)
                worse += ours > theirs
                print(f"{name:18}{gpus:5}{theirs / 2**20:12.2f}{their_bound / 2**20:12.2f}{above(theirs, their_bound)}"
                      f"{ours / 2**20:12.2f}{1 - ours / theirs if theirs else 0:8.1%}{bound / 2**20:12.2f}{above(ours, bound)}"
                      f"  {together}",
                      flush=True)
    return 3 if worse else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also WResNet-152-10 and RNN-10-8K: minutes")
    parser.add_argument("--real", action="store_true", help="models at the sizes that are trained, instead: minutes")
    parser.add_argument("--table-entries", type=int, metavar="N", help="of a table, where all steps are taken together")
    parser.add_argument("--models", help="only these, separated by commas")
    parser.add_argument("--gpus", default=",".join(map(str, range(2, 17))), metavar="N,...", help="default: %(default)s")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin"),
                        help="folder of what was built")
    sys.exit(main(parser.parse_args()))
