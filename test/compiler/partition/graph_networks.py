#!/usr/bin/env python3
"""How far plans of `best` for training graph networks are above their bounds, for 8 workers, and that they move what they say.

usage: graph_networks.py SMEX_ZOO SMEXC MAKE_GRAPH
"""

import json
import os
import subprocess
import sys
import tempfile

ZOO, SMEXC, MAKE_GRAPH = sys.argv[1:4]
CORA = "rmat --nodes 2708 --edges 10556 --skew 0.6"
# All steps together are too many for the graph transformer, and for R-GCN they miss what fetches share, so plans are what the
# bound's charges are rounded to. Deciding operators one at a time ends 2.5 % above the bound for R-GCN, and 7.7 % for the other.
BOUNDED = {"rgcn": ("rgcn", CORA, 0.01), "graph transformer": ("graph-transformer", CORA, 0.02)}

failed = False
for name, (model, drawn, most) in BOUNDED.items():
    with tempfile.TemporaryDirectory() as work:
        path, graph, plan = (os.path.join(work, file) for file in ("model.json", "graph.npz", "plan"))
        for command in ([ZOO, *model.split(), "-o", path], [MAKE_GRAPH, *drawn.split(), "-o", graph],
                        [SMEXC, path, "--graph", graph, "--cuda-arch", "none", "--train", "--loss", "cross_entropy", "--optimizer", "momentum",
                         "--lr", "0.01", "--gpus", "8", "--algorithm", "best", "-o", plan],
                        [SMEXC, "check", plan]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(plan, "plan.json"), encoding="utf-8") as file:
            made = json.load(file)
    moved, bound = made["totals"]["communication_bytes"], made["search"]["lower_bound_bytes"]
    holds = bound <= moved <= bound * (1 + most)
    failed |= not holds
    print(f"{'ok    ' if holds else 'FAILED'} {name}: at most {most:.0%} above its bound: {moved / bound - 1:.1%}")
sys.exit(1 if failed else 0)
