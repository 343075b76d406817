#!/usr/bin/env python3
"""What chapter 6's programs say of results made by hand: each statement within its own wording, and for which numbers."""

import argparse
import contextlib
import io
import json
import os
import tempfile
import types

from checks import equal, program  # makes the modules known
import networks
import placed_sensitivity
import task_graphs
from plans import Statements


network = {n.name: n for n in networks.NETWORKS}
figure_6_1, figure_6_2, figure_6_6 = program("figure_6_1"), program("figure_6_2"), program("figures_6_6_and_6_7")
table_5_1, table_6_1 = program("table_5_1"), program("table_6_1")


def judged(judge):
    """By the beginning of each statement, up to a comma or a bracket: whether it holds. All print their tolerance."""
    says = Statements()
    judge(says)
    assert all(" (" in line.split(": ours")[0] for line in says.lines), says.lines
    return {paper: holds for paper, (holds, _) in says.verdicts.items()}


def scaling(name, throughput):
    """Verdicts of a network with these samples/s by number of GPUs."""
    row = object.__new__(figure_6_1.Row)
    row.network, row.batches, row.throughput = network[name], {}, throughput
    return judged(lambda says: figure_6_1.state([row], says))


word = scaling("Word-RNN", {1: 1, 2: 2.1, 4: 4.1, 8: 8.1, 16: 15})
equal("up to 8 and no further", word, {"Word-RNN: superlinear up to 4 GPUs, as all": True,
                                       "Word-RNN: superlinear up to 8 GPUs": True})
equal("on 16, too", scaling("Word-RNN", {1: 1, 2: 2.1, 4: 4.1, 8: 8.1, 16: 16.1})["Word-RNN: superlinear up to 8 GPUs"], False)
equal("K times is not more than K", scaling("WRN", {1: 1, 2: 2, 4: 4.1, 8: 5, 16: 5}),
      {"WRN: superlinear up to 4 GPUs, as all": False})
equal("out of memory on 2", scaling("WRN", {1: 1, 4: 4.1}), {"WRN: superlinear up to 4 GPUs, as all": False})
perfect = "Char-CRN-2 scales perfectly from 4 to 16 GPUs"
equal("a whole percent less", scaling("Char-CRN-2", {4: 1, 8: 2, 16: 3.97})[perfect], False)
equal("100 %", scaling("Char-CRN-2", {4: 1, 8: 2, 16: 3.99})[perfect], True)
modest = "WRN-2 gains modestly from 8 to 16 GPUs"
equal("nothing", scaling("WRN-2", {4: 1, 8: 2, 16: 2})[modest], False)
equal("a little", scaling("WRN-2", {4: 1, 8: 2, 16: 2.2})[modest], True)
equal("as many times as GPUs", scaling("WRN-2", {4: 1, 8: 2, 16: 4})[modest], False)


def together(e3d, wrn):
    rows = []
    for name, throughput in (("E3D", e3d), ("WRN", wrn)):
        rows.append(object.__new__(figure_6_1.Row))
        rows[-1].network, rows[-1].batches, rows[-1].throughput = network[name], {}, throughput
    return judged(lambda says: figure_6_1.state(rows, says))


beyond, less = "E3D scales better than WRN from 4 to 16 GPUs", "E3D's speedup over one GPU is less than WRN's, on 16 GPUs"
found = together({1: 1, 2: 2, 4: 2, 8: 3, 16: 4}, {1: 1, 2: 2, 4: 4, 8: 4, 16: 5})
equal("E3D and WRN", (found[beyond], found[less]), (True, True))
found = together({1: 1, 2: 2, 4: 4, 8: 5, 16: 5}, {1: 1, 2: 2, 4: 4, 8: 4, 16: 5})
equal("as far", (found[beyond], found[less]), (False, False))


def batches(of):
    """Table 6.1's verdicts of these batches by network and number of GPUs."""
    rows = []
    for name, fits in of.items():
        rows.append(object.__new__(table_6_1.Row))
        rows[-1].network, rows[-1].batches = network[name], fits
    return judged(lambda says: table_6_1.state(rows, list(networks.GPUS), says))


growth = "batches grow by up to 256 times, of networks that one GPU holds"
large = "batches grow by up to 64 times, of networks that no GPU holds"
theirs = {n.name: dict.fromkeys(networks.GPUS, 0) | n.batches for n in networks.NETWORKS}
found = batches(theirs)
equal("the table's own", (found[growth], found[large], found["batches of Table 6.1 fit"]), (True, True, True))
theirs["Char-CRN"][1], theirs["TRN"][1], theirs["Word-RNN-2"][4] = 16, 2, 64
found = batches(theirs)
equal("more on few GPUs", (found[growth], found[large]), (False, False))


def want_of_memory(why, wanted):
    equal(why, task_graphs.is_for_want_of_memory("smexc: error: " + why), wanted)


for refusal in (
        'd.json: task "d" needs 300 bytes for what it makes and reads, and a GPU has 299; the smallest limit found to work is 300 bytes',
        'd.json: task "d" and what has to be beside it need 300 bytes all the time, and a GPU has 270 for that of its 300',
        "d.json: tasks whose memory is never freed need 600 bytes, and 2 GPUs have 299 each",
        "d.json: no placement by pardnn needs at most 300 bytes of each of 3 GPUs; the smallest limit found to work is 400 bytes",
        "model: gpu1 needs 1.50 KiB, more than --memory-per-gpu, 1.00 KiB; the plan of --algorithm pardnn keeps"):
    want_of_memory(refusal, True)
for other in ("d.json: it needs a list of nodes", "--gpus needs a number", "d.json: nodes[0].memory: -5 is not in 0 .. 9"):
    want_of_memory(other, False)


class Graphs:
    """Two tasks, and an edge whose bytes grow less than the seconds do; E3D's as much."""

    def told(self, function, which, batch):
        return function(self.read(which, batch))

    def read(self, which, batch):
        seconds = batch if which.name == "E3D" else batch * batch
        return {"nodes": [{"name": "a", "time": seconds}, {"name": "b", "time": seconds}],
                "edges": [{"from": "a", "to": "b", "bytes": batch}], "devices": {"bytes_per_second": 1}}


ccr = judged(lambda says: says.verdicts.update(
    figure_6_2.statements(Graphs(), lambda *_: None, [network["WRN"], network["E3D"]]).verdicts))
marginal = "the batch has a marginal effect on the degree of parallelism"
equal("the same path", (ccr["WRN: " + marginal], ccr["E3D: " + marginal]), (True, True))
equal("falls", ccr["WRN: CCR falls as the batch grows"], True)
equal("stays", ccr["E3D: CCR falls as the batch grows"], False)


section = program("section_6_2_1")
text = """  tdl.lambda @lambda_4 = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])" "p"
  tdl.lambda @lambda_5 = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]" "bias"
  tdl.lambda @lambda_6 = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0] * x1[r0, i0] + x0[i0, r0])" "no"
    %1 = smex.apply @lambda_4(%0, %w) extents [8, 64, 16] "p" : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32> "p"
    %2 = smex.apply @lambda_5(%1, %b) extents [8, 64] "bias" : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32> "bias"
    %3 = smex.apply @lambda_6(%1, %1) extents [8, 8] "no" : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8xf32> "no"
    %4 = smex.apply @lambda_4(%1, %w) extents [8, 2, 64] "q" : (tensor<8x64xbf16>, tensor<64x2xbf16>) -> tensor<8x2xbf16> "q"
"""
equal("bytes of products", section.product_bytes(text.splitlines()), 8 * 64 * 4 + 8 * 2 * 2)
products = "{}: products of batch 2,048 take 25 % more than of 1,024"
verdict = judged(lambda says: says.verdicts.update(
    section.statements({"Word-RNN": (100, 125), "Char-CRN": (100, 126), "WRN": (1, 9)}, lambda *_: None).verdicts))
equal("a quarter more, and no other network", verdict, {products.format("Word-RNN"): True, products.format("Char-CRN"): False})


def placed(seconds, peak=1, moved=0, took=0.1):
    return types.SimpleNamespace(seconds=seconds, peak=peak, moved=moved, fits=True, search_seconds=took, resident=2**20,
                                 search_processor_seconds=took, processor_seconds=took)


def comparison(of_clustering=1.0, of_robin=2.0, refined=0.1, moved=8, took=20, levels=0.1):
    row = object.__new__(figure_6_6.Row)
    row.network, row.gpus, row.batch, row.nodes = network["TRN"], 4, 64, 100
    row.pardnn, row.unrefined, row.robin = placed(1, took=took), placed(1 / (1 - refined)), placed(of_robin)
    row.guided = placed(row.unrefined.seconds / (1 - levels))
    row.earliest, row.clustering = placed(of_clustering), placed(1)
    row.limited = placed(1, moved=moved, took=took)
    return judged(lambda says: figure_6_6.state([row], says))


paper = comparison()
clustering = "makespan never more than 1.0009 of linear clustering's"
robin = "twice round robin's throughput on average"
refinement = "refinement is worth 5 to 25 %"
moves = "8 % of the nodes move for memory on average"
most, least = (f"partitioning takes {s}, with the memory step" for s in ("117 s at most", "18 s at least"))
equal("the paper's own", [paper[s] for s in (clustering, robin, refinement, moves, most, least)], [True] * 6)
equal("clustering's, four decimals", [comparison(of_clustering=x)[clustering] for x in (1.00094, 1.001)], [True, False])
equal("round robin's, one decimal", [comparison(of_robin=x)[robin] for x in (1.96, 1.9, 2.1)], [True, False, False])
equal("refinement, whole percents", [comparison(refined=x)[refinement] for x in (0.046, 0.044, 0.26)], [True, False, False])
equal("moved, whole percents", [comparison(moved=x)[moves] for x in (7.6, 7.4, 8.6)], [True, False, False])
guided = "guided load balancing in place of LALB is a significant drop"
equal("levels, whole percents", [comparison(levels=x)[guided] for x in (0.046, 0.044, -0.1)], [True, False, False])
equal("seconds", [[comparison(took=x)[s] for s in (most, least)] for x in (0.5, 117.4, 118)],
      [[True, False], [True, True], [False, True]])


class Partitioned:
    """Searches that take longer with every GPU, and with a limit none at all on 4, where it is refused."""

    def as_large(self, which):
        return which

    def operators(self, *_):
        return 100, 10

    def tasks(self, *_):
        return 110

    def place(self, which, batch, gpus, algorithm, limit=None, afresh=False):
        assert afresh and limit in (None, 95), limit
        found = placed(3, peak=100, moved=11, took=(0.9 if limit else 0.6) * gpus)
        found.bound, found.search_seconds, found.resident = 2, 2 * found.search_seconds, gpus * 2**28
        found.fits = not (limit and gpus == 4)
        return found


out = io.StringIO()
with contextlib.redirect_stdout(out):
    table_5_1.time_partitioning(Partitioned(), [network["TRN-2"]], [1, 2, 4], ["pardnn", "window-search"])
rows = [line.split() for line in out.getvalue().splitlines()]
equal("each algorithm on all GPUs", [row[2:4] for row in rows[1:7]],
      [[k, name] for k in "124" for name in ("pardnn", "window-search")])
equal("both by the processor and by the clock", rows[1][4:], ["0.60", "1.20", "0.90", "1.80", "0.90", "10.0%", "256", "1.500"])
equal("refused", rows[5][4:], ["2.40", "4.80", "OOM", "3.60", "1024", "1.500"])
equal("a search that is refused does not count", out.getvalue().splitlines()[7],
      "pardnn: at most 2.40 s of the processor (our aim, under 2: 2 of 3 rows), 4.80 s by the clock (1 of 3 rows), 1024 MiB (our "
      "aim, under 1024: 2 of 3 rows)")

# Numbers that had to be assumed.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "machine.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "m", "device": {"launch_seconds": 2.0}, "links": [{"bytes_per_second": 10.0}]}, file)
    options = argparse.Namespace(machine=path, sensitivity="all", ends=False, paging=1.0)
    found = {}
    for name, value, varied in placed_sensitivity.variants(options, folder, ["paging"]):
        found.setdefault(name, []).append(value)
        if name == "paging":
            equal("an option", (varied.paging, varied.machine), (value, path))
            continue
        with open(varied.machine, encoding="utf-8") as file:
            machine = json.load(file)
        equal("a machine", value, machine["device"]["launch_seconds"] if name == "launch_seconds"
              else machine["links"][0]["bytes_per_second"])
        assert "/" not in varied.variant and " " not in varied.variant, varied.variant
        equal("what a task graph has itself", varied.devices, None if name == "launch_seconds"
              else {"bytes_per_second": value / 10, "host_bytes_per_second": value / 10})
    equal("values", found, {"launch_seconds": [1.0, 1.4, 2.8, 4.0], "links' bytes/s": [1.0, 3.0, 5.0, 7.0, 14.0, 20.0],
                            "paging": [0.5, 0.7, 1.4, 2]})
    options.ends = True
    found = {}
    for name, value, _ in placed_sensitivity.variants(options, folder, ["paging"]):
        found.setdefault(name, []).append(value)
    equal("ends", found, {"launch_seconds": [1.0, 4.0], "links' bytes/s": [1.0, 20.0], "paging": [0.5, 2]})
    options.sensitivity, options.spare = "spare", 0.1
    equal("what is tried of the spare memory", [value for _, value, _ in placed_sensitivity.variants(options, folder, ["spare"])],
          [0, 0.2])

# WRN-3 is of a size that had to be assumed.
options = argparse.Namespace(networks="WRN,WRN-3", depth=None, wrn_3_units=101, wrn_3_width=20)
equal("as assumed", [n.key for n in networks.chosen(options)], ["WRN", "WRN-3"])
equal("whose numbers", networks.assumed(options), ["wrn_3_units", "wrn_3_width"])
options.wrn_3_width = 14
wider = networks.chosen(options)[1]
equal("another size", (wider.name, wider.key, wider.arguments), ("WRN-3", "WRN-3.units101.width14", ["wrn", "--units=101", "--width=14"]))
options.networks = "WRN,TRN"
equal("nobody's", networks.assumed(options), [])


def fitting(most, largest, near=None):
    """The largest power of two, where so many fit, and which ones were tried."""
    tried = []

    def fits(exponent):
        tried.append(exponent)
        return exponent <= largest
    return task_graphs.largest_fitting(fits, most, near), tried


for largest in range(-1, 8):
    for near in (None, *range(-1, 8)):
        found, tried = fitting(7, largest, near)
        equal(f"{largest} near {near}", found, 2**largest if largest >= 0 else 0)
        assert len(tried) == len(set(tried)) and set(tried) <= set(range(8)), tried
equal("as before", fitting(13, 6, 6)[1], [6, 7])
equal("nothing fits, as before", fitting(13, -1, -1)[1], [0])
equal("one less", fitting(13, 5, 6)[1], [6, 5])
print("ok")
