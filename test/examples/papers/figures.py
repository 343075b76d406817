#!/usr/bin/env python3
"""Programs of chapters 3 and 6 as a whole, on models that are compiled in seconds, so that one that is broken is noticed: each prints
its table and a verdict of every statement. What these say of so small models is no figure of a paper.

usage: figures.py FOLDER     (of what was built)
"""

import argparse
import copy
import json
import os
import sys
import tempfile

from checks import equal, run_programs
import networks
import placed_sensitivity
from task_graphs import TaskGraphs

BUILT = sys.argv[1]
PLACED = ["--networks", "Word-RNN", "--depth", "1"]
PROGRAMS = [
    (["figure_6_1", *PLACED, "--ends", "--sensitivity", "latency_seconds,convolution.most,spare"],
     ["Word-RNN.layers1", "superlinear up to 4 GPUs, as all", "latency_seconds    1e-06, 2e-06 (assumed), 4e-06",
      "spare              0, 0.1 (assumed), 0.2", "convolution.most   0.5, 1 (assumed)"]),
    (["figure_6_2", "--networks", "WRN-3", "--depth", "1", "--ends", "--sensitivity", "wrn_3_width"],
     ["CCR falls as the batch grows", "wrn_3_width        14, 20 (assumed), 28"]),
    (["figures_6_3_to_6_5", *PLACED], ["gradient checkpointing with data parallelism (Figure 6.4)", "always faster than unified memory"]),
    (["across_hosts", *PLACED], ["weak scaling to 16 hosts"]),
    (["table_6_1", *PLACED, "--gpus", "1,4"],
     ["4096", "more than 9 times data parallelism on average", "batches of Table 6.1 fit", "batches grow by up to 256 times"]),
    (["figures_6_6_and_6_7", *PLACED, "--gpus", "2,4", "--ours"],
     ["our aim: window-search is never slower than ParDNN", "guided load balancing in place of LALB", "refinement is worth 5 to 25 %", "without the memory step no more than 6 s on Word-RNN"]),
    (["figure_3_9", "--models", "1-1", "--sensitivity", "duplex,reserved_bytes,least_batch"],
     ["RNN-1-1K", "Tofu reaches 70 to 98 % of ideal", "ahead of other ways", "small batch is out of memory on larger RNNs",
      "placement reaches 38 to 62 %", "least_batch        1, 4, 16 (assumed), 64", "duplex             no (assumed), yes"]),
    (["figure_3_11", "--depth", "50", "--width", "1"],
     ["group3/block1..2", "both the batch and channel dimensions are cut", "repeated blocks are cut in the same way",
      "upper blocks fetch activations"]),
    (["section_3_6", "--models", "rnn,transformer"],
     ["transformer: a worker needs 1/8 of what one GPU does", "by the partitioned graph's data alone",
      "where fetches are issued early"]),
]


def task_graphs_are_found_again():
    """Where links are others, a task graph has what smexc emits for such a machine; where nothing is, it is the same file."""
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(
            zoo=os.path.join(BUILT, "tools/smex-zoo"), smexc=os.path.join(BUILT, "tools/smexc"), machine="dgx-2", plans=folder,
            efficiency=None, links=None, fuse=False, spare=0.1, sensitivity="all", ends=True)
        network = networks.NETWORKS[0].of_depth(1)
        usual = TaskGraphs(options).graph(network, 16)
        for name, _, varied in placed_sensitivity.variants(options, folder, []):
            found = TaskGraphs(varied).graph(network, 16)
            if name in ("convolution.most", "reserved_bytes"):
                equal(f"the same graph: {name}", found, os.path.realpath(usual))
            if name in ("links' bytes/s", "latency_seconds"):
                emitting = copy.copy(varied)
                emitting.devices, emitting.variant = None, varied.variant + ".emitted"
                with open(found, encoding="utf-8") as ours, open(TaskGraphs(emitting).graph(network, 16), encoding="utf-8") as emitted:
                    equal(f"as emitted: {name}", json.load(ours), json.load(emitted))
            if name == "launch_seconds":
                assert found != usual


task_graphs_are_found_again()
sys.exit(run_programs(PROGRAMS, "--smexc", os.path.join(BUILT, "tools/smexc"), "--zoo", os.path.join(BUILT, "tools/smex-zoo")))
