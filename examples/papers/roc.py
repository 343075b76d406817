"""What the programs of Roc's figures share: graphs of Table 4's sizes, plans for them, and their time on Roc's cluster.

Times are those of `smexc simulate` on roc-p100-cluster, whose `cache_bytes` say how often a neighbour's row comes from memory.

Graphs are R-MAT of the papers' sizes, or of 1/SCALE of their vertices and edges. Then all rates and sizes of the machine are
1/SCALE, too, so that what takes longer with bytes or flops takes what it does at full size; launches and latencies stay.
"""

import array
import dataclasses
import json
import math
import os
import re
import subprocess
import sys

import plans

PRESET = "roc-p100-cluster"


@dataclasses.dataclass(frozen=True)
class Graph:
    """Of Table 4."""
    name: str
    vertices: int
    edges: int
    features: int
    classes: int


PUBMED = Graph("pubmed", 19717, 108365, 500, 3)
PPI = Graph("ppi", 56944, 1612348, 700, 121)
REDDIT = Graph("reddit", 232965, 114848857, 602, 41)
AMAZON = Graph("amazon", 9430088, 231594310, 300, 24)


NODE = 4  # GPUs of one
PARTITIONS = ("equal-vertices", "equal-edges", "learned")


@dataclasses.dataclass(frozen=True)
class Assumed:
    """What the paper does not say, all in one place; the programs vary it."""
    hidden: int = 256  # with it, Figure 10's bytes and Figure 4's rate on Reddit are both met
    layers: int = 2
    skew: float = 0.62  # of R-MAT: the largest vertex of Reddit's size then has as many edges as Reddit's
    order: str = "communities"  # of vertices, since a graph's own order is seldom random
    cache: float | None = None  # bytes of a GPU's last cache; None: the preset's; 0: each row from memory; inf: each once
    pcie: float = 12e9  # bytes/s between one GPU and the host
    memory: float = 16 * 2**30  # bytes of a P100, as 7.1 has it
    managed: float = 1.3e9  # bytes of these in which its memory manager keeps tensors: so Figure 10's ratios are met

    def vertices(self):
        """What a graph's name says of how it is made."""
        return self.order + ("" if self.skew == Assumed.skew else f"-skew{self.skew:g}")


@dataclasses.dataclass(frozen=True)
class Case:
    """What a plan is made of."""
    network: str
    graph: Graph
    assumed: Assumed = Assumed()
    train: bool = True
    nvlink: bool = True
    seeds: tuple = (1,)  # of the graphs, side by side

    def name(self):
        assumed = self.assumed
        cache = [] if assumed.cache is None else [f"cache{assumed.cache:g}"]
        parts = [self.network, self.graph.name, assumed.vertices(), assumed.layers, assumed.hidden, *self.seeds]
        parts += ([] if self.train else ["inference"]) + ([] if self.nvlink else ["without-nvlink"]) + cache
        return "-".join(map(str, parts))

    def assuming(self, **changed):
        return dataclasses.replace(self, assumed=dataclasses.replace(self.assumed, **changed))


def machine(scale=1, nvlink=True, cache=None, memory=Assumed.memory):
    """The preset, at 1/scale of its speed and size. `memory`: where it is not what is assumed, this in place of the preset's."""
    found = plans.machine_file(PRESET)
    if memory != Assumed.memory:
        found["device"]["memory_bytes"] = memory
    return scaled(found, scale, nvlink, cache)


def scaled(found, scale, nvlink, cache=None):
    """A machine's description, changed; without NVLink, GPUs of a node reach each other through its host. `cache`: as Assumed's."""
    device = found["device"]
    cache = device.pop("cache_bytes", math.inf) if cache is None else cache
    device.pop("cache_bytes", None)
    if cache < math.inf:  # without the key, what is gathered comes from memory once
        device["cache_bytes"] = int(cache / scale)
    device["flops"] = {kind: rate / scale for kind, rate in device["flops"].items()}
    device["memory_bytes"] = int(device["memory_bytes"] / scale)
    device["reserved_bytes"] = int(device.get("reserved_bytes", 0) / scale)
    device["memory_bandwidth"] /= scale
    for kind in ("contraction", "convolution"):
        device["efficiency"][kind]["half_flops"] /= scale
    for link in found["links"]:
        link["bytes_per_second"] /= scale
    if not nvlink:
        found["nodes"] = [node for node in found["nodes"] if "nvlink" not in node["name"]]
        found["links"] = [link for link in found["links"] if not any("nvlink" in end for end in link["between"])]
    found["name"] += f"-{scale:g}" + ("" if nvlink else "-without-nvlink")
    return found


class Sums:
    """Sums over neighbours, from a plan's own instructions and lists."""

    ROW_OF_EDGE = re.compile(r"x\d+\[[^\[\]]*x\d+\[r0\]")  # a read whose place is read by the number of the edge
    FIRST_EDGE = re.compile(r"x(\d+)\[i0\]\)? <= r0\b")  # of a vertex; the list goes on with the next vertex's

    def __init__(self, program, workers, values):
        """`program`: of the plan's program.json; `workers`: what `smexc inspect --json` lists; `values`: of a tensor that the
        plan stores, by its number."""
        self.sums = []  # (width of the whole, [(vertices, edges, width) of each worker])
        for number, instruction in enumerate(program["instructions"]):
            if instruction["op"] != "compute" or len(instruction.get("reductions", [])) != 1:
                continue
            kernel = program["kernels"][instruction["kernel"]]["lambda"]
            if not self.ROW_OF_EDGE.search(kernel):
                continue
            shape = program["tensors"][program["buffers"][instruction["to"]]["tensor"]]["shape"]
            if len(shape) < 2:  # a loss, which reads one number of each row
                continue
            buffer = instruction["operands"][int(self.FIRST_EDGE.search(kernel).group(1))]
            offsets = values(program["buffers"][buffer]["tensor"])
            parts = [self.part(worker["instructions"][number].get("indices"), offsets) for worker in workers]
            self.sums.append((math.prod(shape[1:]), parts))

    @staticmethod
    def part(indices, offsets):
        """(vertices, edges, width) of a worker: its vertices' edges that are in its part of all edges."""
        if not indices:
            return 0, 0, 0
        first, last = indices[0]
        edges = min(offsets[last], indices[-1][1]) - max(offsets[first], indices[-1][0])
        return last - first, max(0, edges), math.prod(end - begin for begin, end in indices[1:-1])

    def widths(self):
        """Numbers that each neighbour brings, sum by sum, as a cost model names them."""
        return [width for width, _ in self.sums]

    def loads(self):
        """Of each worker: vertices and edges, each times the numbers that they bring, over all sums."""
        both = [[(v * width, e * width) for v, e, width in parts] for _, parts in self.sums]
        return [tuple(map(sum, zip(*of_worker))) for of_worker in zip(*both)]


class Stored:
    """Lists of integers that a plan stores, in parts that its workers have."""

    TYPES = {"i32": "i", "i64": "q"}

    def __init__(self, folder, program, workers):
        self.folder, self.program, self.workers, self.known = folder, program, workers, {}

    def __call__(self, tensor):
        if tensor not in self.known:
            self.known[tensor] = self.read(tensor)
        return self.known[tensor]

    def read(self, tensor):
        described, buffers = self.program["tensors"][tensor], self.program["buffers"]
        number, buffer = next((i, parameter["buffer"]) for i, parameter in enumerate(self.program["parameters"])
                              if buffers[parameter["buffer"]]["tensor"] == tensor)
        values = array.array(self.TYPES[described["dtype"]], bytes(4 * 2 * described["shape"][0]))[:described["shape"][0]]
        found = bytearray(len(values))
        for gpu, worker in enumerate(self.workers):
            with open(os.path.join(self.folder, f"gpu{gpu}.json"), encoding="utf-8") as file:
                places = {each["parameter"]: each["offset"] for each in json.load(file).get("weights", [])}
            if number not in places:
                continue
            (begin, end), part = worker["buffers"][buffer]["box"][0], array.array(values.typecode)
            with open(os.path.join(self.folder, f"gpu{gpu}.weights"), "rb") as file:
                file.seek(places[number])
                part.fromfile(file, end - begin)
            values[begin:end] = part
            found[begin:end] = b"\1" * (end - begin)
        if not all(found):
            raise ValueError(f"{self.folder}: {found.count(0)} elements of {described['name']} are not stored")
        return values


class Simulated:
    """A plan on a machine."""

    def __init__(self, result, sums):
        self.sums = sums
        self.seconds = result["step_seconds"]
        self.worker_seconds = [gpu["compute_seconds"] for gpu in result["gpus"]]
        self.peak = max(gpu["peak_bytes"] for gpu in result["gpus"])
        self.fits = not result["out_of_memory"]
        self.communication = result["communication_bytes"]

    @property
    def imbalance(self):
        return max(self.worker_seconds) * len(self.worker_seconds) / sum(self.worker_seconds)


def least_squares(rows):
    """Weights a, b >= 0 that make sum (a x + b y - t)^2 least, over rows (x, y, t)."""
    scale_x, scale_y = (max(abs(row[i]) for row in rows) or 1 for i in (0, 1))
    rows = [(x / scale_x, y / scale_y, t) for x, y, t in rows]
    xx, xy, yy = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    xt, yt = (sum(row[i] * row[2] for row in rows) for i in (0, 1))
    ridge = 1e-9 * (xx + yy)
    xx, yy = xx + ridge, yy + ridge
    determinant = xx * yy - xy * xy
    both = (xt * yy - yt * xy) / determinant, (yt * xx - xt * xy) / determinant
    choices = [(xt / xx, 0.0), (0.0, yt / yy)] + ([both] if min(both) >= 0 else [])
    a, b = min((pair for pair in choices if min(pair) >= 0),
               key=lambda pair: sum((pair[0] * x + pair[1] * y - t) ** 2 for x, y, t in rows))
    return a / scale_x, b / scale_y


def add_options(parser, scale):
    parser.add_argument("--bin", default=os.path.join(plans.ROOT, "bazel-bin"), help="what is built; default: bazel-bin")
    parser.add_argument("--scale", type=float, default=scale,
                        help="graphs and the machine are 1/SCALE of the real ones; default: %(default)g")
    parser.add_argument("--plans", metavar="DIR", help="keeps graphs and plans, and finds them again; default: a temporary folder")


class Cluster(plans.Workplace):
    """Graphs, plans for them, and what these take on Roc's cluster."""

    def __init__(self, options, scale=None):
        """`scale`: in place of the options'."""
        options.zoo = os.path.join(options.bin, "tools/smex-zoo")
        options.smexc = os.path.join(options.bin, "tools/smexc")
        super().__init__(options)
        self.scale = options.scale if scale is None else scale
        self.folder = os.path.join(self.folder, f"{self.scale:g}")
        os.makedirs(self.folder, exist_ok=True)
        self.simulated = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def once(self, name, make):
        """The path of a file or folder, made if it is not there."""
        path = self.path(name)
        if not os.path.exists(path):
            print(f"making {name}", file=sys.stderr)
            make(path)
        return path

    def graph(self, graph, assumed, seed=1):
        vertices, edges = (max(1, round(count / self.scale)) for count in (graph.vertices, graph.edges))
        program = os.path.join(self.options.bin, "examples/bench/make_graph")
        return self.once(f"{graph.name}-{assumed.vertices()}-{seed}.npz", lambda path: self.call(
            program, "rmat", "--nodes", vertices, "--edges", edges, "--skew", assumed.skew, "--order", assumed.order,
            "--seed", seed, "-o", path))

    def machine(self, case):
        """The path of a machine file, written anew, since what is kept may be another program's."""
        cache, memory = case.assumed.cache, case.assumed.memory
        path = self.path("machine" + ("" if case.nvlink else "-without-nvlink") + ("" if cache is None else f"-cache{cache:g}")
                         + ("" if memory == Assumed.memory else f"-memory{memory:g}") + ".json")
        # At once, as other programs may share the folder.
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump(machine(self.scale, case.nvlink, cache, memory), file)
        os.replace(file.name, path)
        return path

    def model(self, network, graph, assumed):
        sizes = {"layers": assumed.layers, "features": graph.features, "hidden": assumed.hidden, "classes": graph.classes}
        return self.once(f"{network}-{graph.name}-{assumed.layers}-{assumed.hidden}.json", lambda path: self.call(
            self.options.zoo, network, *(f"--{name}={size}" for name, size in sizes.items()), "-o", path))

    def plan(self, case, gpus, partition):
        """A plan's folder. `partition`: as for smexc --graph-partition."""
        base = os.path.basename(partition).removesuffix(".json")
        graphs = [word for seed in case.seeds for word in ("--graph", self.graph(case.graph, case.assumed, seed))]
        training = ["--train", "--loss", "cross_entropy", "--optimizer", "adam", "--lr", "0.01"] if case.train else []
        # What does not fit is for the caller to see.
        known = ["--machine", self.machine(case), "--memory-per-gpu", "1024GiB"]
        return self.once(f"{case.name()}-{gpus}-{base}", lambda path: self.call(
            self.options.smexc, self.model(case.network, case.graph, case.assumed), *graphs, "--gpus", gpus, *training,
            "--graph-partition", partition, *known, "--cuda-arch", "none", "-o", path))

    def simulate(self, case, gpus, partition="equal-edges"):
        folder, described = self.plan(case, gpus, partition), self.machine(case)
        if (folder, described) not in self.simulated:
            listed = subprocess.run([self.options.smexc, "inspect", folder, "--json"], capture_output=True, check=True)
            workers = json.loads(listed.stdout)
            with open(os.path.join(folder, "program.json"), encoding="utf-8") as file:
                program = json.load(file)
            sums = Sums(program, workers, Stored(folder, program, workers))
            self.simulated[folder, described] = Simulated(self.result(folder, described), sums)
        return self.simulated[folder, described]

    def result(self, folder, described):
        """Of smexc simulate."""
        path = folder + ".result.json"
        self.call(self.options.smexc, "simulate", folder, "--machine", described, "--json", path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def gathers(self, case, gpus):
        """Seconds of a step that go with neighbours' rows which come from memory again."""
        once = self.result(self.plan(case, gpus, "equal-edges"), self.machine(case.assuming(cache=math.inf)))
        return self.simulate(case, gpus).seconds - once["step_seconds"]

    def learned(self, case, gpus, of=None):
        """The file of a cost model for `case`, fitted to what plans of `of` (default: of the case itself) take with equal
        vertices and with equal edges."""
        of = of or case
        rows = []
        for partition in ("equal-vertices", "equal-edges"):
            found = self.simulate(of, gpus, partition)
            rows += [(v, e, t) for (v, e), t in zip(found.sums.loads(), found.worker_seconds)]
        per_vertex, per_edge = least_squares(rows)
        # A vertex and an edge cost a sum what they do for each number that they bring.
        widths = self.simulate(case, gpus, "equal-edges").sums.widths()
        layers = [{"width": width, "weights": [per_vertex * width, per_edge * width, 0, 0, 0]} for width in widths]
        path = self.path(f"learned-{case.name()}-{gpus}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "smex-graph-cost-model", "version": 1, "model": case.network, "layers": layers}, file)
        return path

    def partitions(self, case, gpus, of=None):
        """Partition to what it takes; one GPU divides nothing."""
        if gpus == 1:
            return dict.fromkeys(PARTITIONS, self.simulate(case, 1))
        files = *PARTITIONS[:2], self.learned(case, gpus, of)
        return {name: self.simulate(case, gpus, file) for name, file in zip(PARTITIONS, files)}
