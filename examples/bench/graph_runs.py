"""What programs that compare graph networks share: runs of smex and of other frameworks, and what they took.

Only python3's own library is needed here, so that this process stays small: a child's peak memory, as the system tells it,
is at least that of its parent. Peers are trained by graph_peer.py, under the Python that has them (--python).
"""

import dataclasses
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RATE = 0.01
# Peers that sum messages as a sparse matrix times features, which attention has no matrix for.
OF_MATRICES = ("torch-csr", "pyg-csr", "pyg-2.4-sparse-tensor", "pyg-2.4-torch-sparse", "isplib")
# Peers that need iSpLib's versions of PyTorch (2.1) and PyTorch Geometric (2.4).
OF_ISPLIB = ("pyg-2.4", "pyg-2.4-sparse-tensor", "pyg-2.4-torch-sparse", "isplib")


@dataclasses.dataclass
class Network:
    model: str  # gcn, gat or sage-sum
    features: int
    hidden: int  # of a head
    classes: int
    heads: int = 8

    def zoo(self):
        heads = ["--heads", str(self.heads)] if self.model == "gat" else []
        return [self.model.removesuffix("-sum"), "--layers", "2", "--features", str(self.features), "--hidden", str(self.hidden),
                "--classes", str(self.classes), *heads]


@dataclasses.dataclass
class Run:
    seconds: list  # of steps after the first
    memory: int  # peak of the process, bytes
    losses: list
    cpu: float  # seconds of all threads per step: where others use the machine, the fairer figure; the median of rounds
    plan: int = 0  # peak that the plan predicts, bytes
    compiling: tuple = (0, 0)  # seconds, bytes
    cpus: list = dataclasses.field(default_factory=list)  # of each round

    def __post_init__(self):
        self.cpus = self.cpus or [self.cpu]

    @property
    def median(self):
        return statistics.median(self.seconds)


class Failed(Exception):
    """A peer that did not run; says why in a word or two."""


def add_options(parser):
    parser.add_argument("--bin", default=os.path.join(HERE, "../../bazel-bin"), help="what is built (default: bazel-bin)")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch and its kin (default: this one)")
    parser.add_argument("--dgl-python", help="another one that has DGL, which needs an older PyTorch")
    parser.add_argument("--isplib-python", help="another one that has iSpLib, which needs PyTorch 2.1 and PyTorch Geometric 2.4")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: %(default)s")
    parser.add_argument("--budget", type=float, default=20,
                        help="seconds after which a peer stops stepping; default: %(default)s")
    parser.add_argument("--memory", type=float, default=12, help="GiB that a peer may take; default: %(default)s")


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory()
        self.work = self.folder.name
        self.prepared = None
        self.plans = {}

    def path(self, name):
        return os.path.join(self.work, name)

    def tool(self, name):
        folder = "tools" if name.startswith("smex") else "examples/bench"
        return os.path.join(self.options.bin, folder, name)

    def draw(self, *words):
        """A file with a graph of make_graph's."""
        path = self.path("_".join(word.lstrip("-") for word in map(str, words)) + ".npz")
        if not os.path.exists(path):
            subprocess.run([self.tool("make_graph"), *map(str, words), "-o", path], check=True)
        return path

    def prepare(self, network, graph):
        """Features, labels and weights for all; those of one network at a time."""
        if self.prepared != (network, graph):
            self.child(self.options.python, {"do": "prepare", **self.task(network, graph)})
            self.prepared = (network, graph)

    def task(self, network, graph):
        return {**dataclasses.asdict(network), "graph": graph, "work": self.work, "threads": self.options.threads,
                "rate": RATE, "budget": self.options.budget}

    def child(self, python, task, program="graph_peer.py"):
        limit = int(self.options.memory * 2**30)
        done = subprocess.run([python, os.path.join(HERE, program), json.dumps(task)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},  # others may use the machine
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["died"])[-1]
            raise Failed("out of memory" if "MemoryError" in last or done.returncode < 0 else last)
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout else None

    def peer(self, framework, network, graph, steps, do="train"):
        option = "dgl" if framework == "dgl" else "isplib" if framework in OF_ISPLIB else None
        python = getattr(self.options, f"{option}_python") if option else self.options.python
        if not python:
            raise Failed(f"no --{option}-python")
        self.prepare(network, graph)
        found = self.child(python, {"do": do, "framework": framework, "steps": steps, **self.task(network, graph)})
        if "out of memory" in found:
            raise Failed("out of memory")
        return Run(found["seconds"], found["memory"], found["losses"], found["cpu"])

    def compile(self, model, graph, train=("--loss", "cross_entropy", "--optimizer", "adam", "--lr", str(RATE))):
        """A plan for one worker; (its folder, seconds, bytes of memory, CPU seconds)."""
        key = (model, graph, train)
        if key not in self.plans:
            plan = self.path(f"plan{len(self.plans)}")
            words = [self.tool("smexc"), model, "--graph", graph, "--gpus", "1", "-o", plan]
            words += ["--train", *train] if train else []
            self.plans[key] = (plan, *measure(words))
        return self.plans[key]

    def run(self, plan, steps, inputs, parameters=None, more_words=()):
        metrics = self.path("metrics.json")
        words = [self.tool("smex-run"), plan, "--metrics", metrics, "--threads", str(self.options.threads), *more_words]
        for name, file in inputs.items():
            words += ["--input", f"{name}={file}"]
        if parameters:
            words += ["--parameters", parameters]
        # What starting takes is in both; many steps where one is short, or it would be lost in that.
        before = measure([*words, "--steps", str(steps)])
        with open(metrics) as file:
            median = statistics.median(step["seconds"] for step in json.load(file)["steps"])
        more = min(300, max(steps, int(2 / median)))
        after = measure([*words, "--steps", str(steps + more)])
        with open(metrics) as file:
            found = json.load(file)
        return Run([step["seconds"] for step in found["steps"]][1:], after[1], [step.get("loss") for step in found["steps"]],
                   (after[2] - before[2]) / more, max(found["peak_bytes"]))

    def smex(self, network, graph, steps):
        self.prepare(network, graph)
        model = self.path("_".join(map(str, dataclasses.astuple(network))) + ".json")
        if not os.path.exists(model):
            subprocess.run([self.tool("smex-zoo"), *network.zoo(), "-o", model], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            if network.model == "sage-sum":  # the zoo's GraphSAGE has means
                replace_operator(model, "mean_messages", "sum_messages")
        plan, seconds, memory, _ = self.compile(model, graph)
        run = self.run(plan, steps, {name: self.path(name + ".npy") for name in ("features", "labels")},
                       self.path("parameters.safetensors"))
        run.compiling = (seconds, memory)
        return run


def replace_operator(model, old, new):
    """In the file of a model."""
    with open(model, encoding="utf-8") as file:
        described = json.load(file)
    for node in described["nodes"]:
        if node["op"] == old:
            node["op"] = new
    with open(model, "w", encoding="utf-8") as file:
        json.dump(described, file)


def measure(words):
    """Seconds of a command, its peak memory in bytes, CPU seconds of all its threads."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)}\n{message}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def losses_differ(run, other):
    """The largest difference of two runs' losses, of the first loss."""
    both = min(len(run.losses), len(other.losses))
    return max(abs(a - b) for a, b in zip(run.losses[:both], other.losses[:both])) / abs(run.losses[0])


def gib(count):
    return f"{count / 2**30:.2f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def alternate(ways, rounds):
    """Each of `ways` (name to a function that makes a Run), `rounds` times in turn: name to a Run of all steps, with the median
    of the rounds' CPU seconds, or why not."""
    found = {}
    for _ in range(rounds):
        for name, way in ways.items():
            if isinstance(found.get(name), str):
                continue
            try:
                run = way()
            except Failed as failed:
                found[name] = str(failed)
                continue
            if name in found:
                run.seconds += found[name].seconds
                run.memory = max(run.memory, found[name].memory)
                run.cpus += found[name].cpus
                run.cpu = statistics.median(run.cpus)
            found[name] = run
    return found
