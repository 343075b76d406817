"""What the programs of DGL's chapter share: networks, and what a run of smex and of a peer took, as rows of a table."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))

from graph_runs import OF_MATRICES, Bench, Failed, Network, add_options, alternate, losses_differ  # noqa: E402,F401

EPOCHS = 200
V100 = 15.75 * 2**30  # bytes of the paper's GPU
OUT_OF_MEMORY = "out of memory"


def gcn(features, hidden, classes):
    return Network("gcn", features, hidden, classes)


def gat(features, hidden, classes):
    """As its authors have it: 8 heads, `hidden` in all."""
    return Network("gat", features, hidden // 8, classes)


def add_graph_options(parser):
    add_options(parser)
    parser.set_defaults(memory=V100 / 2**30)
    parser.add_argument("--scale", type=float, default=1, help="of vertices and edges; default: %(default)s")
    parser.add_argument("--steps", type=int, default=6, help="of a process; the first does not count; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--peers", default="pyg,pyg-csr", help="of pyg, pyg-csr (its edges as a sparse matrix), "
                        "torch, torch-csr, dgl; default: %(default)s")
    parser.add_argument("--most-edges", type=float, default=60e6,
                        help="peers run on graphs up to this, where they are not expected to be out of memory; default: %(default)g")


def compare(bench, network, graph, edges):
    """Name to Run, or to why there is none."""
    options = bench.options
    ways = {"smex": lambda: bench.smex(network, graph, options.steps)}
    for peer in options.peers.split(",") if options.peers else []:
        ways[peer] = lambda peer=peer: within(bench, peer, network, graph, edges)
    return alternate(ways, options.rounds)


def within(bench, peer, network, graph, edges):
    if peer in OF_MATRICES and network.model != "gcn":
        raise Failed("not run")
    # PyG has a message per edge, whose size decides: to be told that it is out of memory takes it no time.
    if edges > bench.options.most_edges and not (peer == "pyg" and messages(network, edges) > V100):
        raise Failed("not run")
    return bench.peer(peer, network, graph, bench.options.steps)


def messages(network, edges):
    """Bytes of what PyG keeps of messages, at least: those of both layers, for the backward pass."""
    per_layer = [network.hidden, network.classes]
    heads = [network.heads, 1] if network.model == "gat" else [1, 1]
    return 2 * 4 * edges * sum(map(int.__mul__, per_layer, heads))


def times(found, peer="pyg"):
    """How many times our CPU seconds a peer takes, or None where one of both did not run."""
    runs = found.get(peer), found["smex"]
    return None if any(run is None or isinstance(run, str) for run in runs) else runs[0].cpu / runs[1].cpu


def saved(found, peer="pyg"):
    """The part of a peer's memory that ours does without."""
    return None if times(found, peer) is None else 1 - found["smex"].memory / found[peer].memory


def fits(found, name="smex"):
    """Whether it ran in the memory of the paper's GPU; None where it was not tried."""
    run = found.get(name)
    if run is None or isinstance(run, str):
        return False if run == OUT_OF_MEMORY else None
    return run.memory <= V100


def told(value, form="{:.3g}x"):
    return "not run" if value is None else form.format(value)


def cell(run, of=None):
    """Seconds of 200 epochs, GB, and of how many steps, of a run: `10.2 s (19 CPU) 0.31 GB, 5`; `7.3x` of what `of` took in CPU
    seconds."""
    if isinstance(run, str):
        return run
    ratio = f" {run.cpu / of.cpu:.1f}x" if of else ""
    return f"{EPOCHS * run.median:.3g} s ({EPOCHS * run.cpu:.3g} CPU{ratio}) {run.memory / 1e9:.2f} GB, {len(run.seconds)}"


def print_row(name, found, paper):
    ours = found["smex"]
    cells = [cell(ours)] + [cell(run, ours) for key, run in found.items() if key != "smex"]
    print(f"{name:26}" + "".join(f"{text:>40}" for text in cells) + f"   {paper}", flush=True)
    for key, run in found.items():
        if key != "smex" and not isinstance(run, str) and losses_differ(run, ours) > 1e-3:
            print(f"  losses of {key} differ by {losses_differ(run, ours):.0e}: not the same network")
            return False
    return True


def print_head(bench, name):
    peers = bench.options.peers.split(",") if bench.options.peers else []
    print(f"{EPOCHS} epochs, of the median step, and of how many; peak memory of the process; on {bench.options.threads} threads, not a GPU")
    print(f"{name:26}" + "".join(f"{text:>40}" for text in ["smex", *peers]) + "   the paper (PyG, DGL; one V100)")
