#!/usr/bin/env python3
"""Programs of Roc's simulated figures as a whole, on graphs that are small enough for seconds, so that one that is broken is
noticed: each prints its table and a verdict of every statement, and for which values of what is assumed each holds. What
these say of so small graphs is no figure of the paper.

usage: roc_figures.py FOLDER     (of what was built)
"""

import sys
import tempfile

from checks import run_programs

BUILT = sys.argv[1]
ALONE = ["--hidden", ""]
# Numbers that need no other plan are varied here.
PROGRAMS = [
    (["roc_figure_4", *ALONE, "--scale", "20000", "--sensitivity", "memory"],
     ["reddit, hidden 256", "who keeps messages is out of memory on Reddit", "Reddit trains on one GPU", "GCN on Reddit, 1.82 epochs/s",
      "pubmed: the fastest is within a tick", "memory             8.59e+09, 1.29e+10, 1.72e+10 (assumed), 3.44e+10"]),
    (["roc_figure_5", *ALONE, "--scale", "20000", "--gpus", "1,2", "--sensitivity", "pcie"],
     ["amazon, hidden 256", "ahead of NeuGraph on every number of GPUs of a node", "memory and partition explain 2.8 times",
      "amazon: the axis ends at 1.75 epochs/s", "pcie               6e+09, 9e+09, 1.2e+10 (assumed), 1.6e+10, 2.4e+10"]),
    (["roc_figure_8", *ALONE, "--scale", "50000", "--gpus", "1,2", "--orders", ""], ["vertices/learned", "neither of the others performs as well as the learned partition", "more GPUs train faster"]),
    (["roc_figure_9", *ALONE, "--scale", "60", "--gpus", "1,8", "--orders", ""],
     ["8 GPUs", "the learned partition takes up to 1.2 or 1.4 times less", "it is behind neither of the others",
      "several nodes are slower than one"]),
    (["roc_figure_10b", *ALONE, "--scale", "20000", "--sensitivity", "pcie,managed"],
     ["PCI-e 9 GB/s", "no cache: 1.01 s per epoch", "LRU takes 1.15 times the search's",
      "managed            1.1e+09, 1.2e+09, 1.3e+09 (assumed), 1.4e+09, 1.6e+09"]),
]

with tempfile.TemporaryDirectory() as plans:
    status = run_programs(PROGRAMS, "--bin", BUILT, "--plans", plans)
sys.exit(status)
