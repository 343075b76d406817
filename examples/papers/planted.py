"""A synthetic Reddit with planted communities, and accuracies of networks that smex trains on it or on a citation graph.

Each class is several communities; most of a vertex's edges lead into its own community, and its features are those of the
community, under noise. What a network may learn is therefore how communities make classes (width helps) and what a vertex's
surroundings say of its community (depth helps); neither is in the file of any network.
"""

import array
import collections
import dataclasses
import itertools
import json
import os
import random
import struct
import subprocess
import zipfile

from plans import ROOT

IGNORED = -1  # label of a vertex that is not trained on


@dataclasses.dataclass(frozen=True)
class Planted:
    """What is drawn. Classes and shares of the split are Reddit's; all else is assumed."""
    vertices: int = 5824  # a fortieth of Reddit's
    degree: int = 20  # edges of a vertex, on average; each is there in both directions
    classes: int = 41
    communities: int = 3  # of each class
    inside: float = 0.5  # share of edges that stay in a community
    features: int = 48
    strength: float = 0.3  # of a community's features; noise has 1
    trained: float = 0.66
    validated: float = 0.10
    seed: int = 1


@dataclasses.dataclass
class Data:
    """Paths of the files that a run is given, and labels and vertices for the score."""
    graph: str
    features: str
    labels: str
    all_labels: list
    test: list
    trained: list
    widths: tuple  # features, classes


def write_npy(path, kind, values, shape):
    """`kind`: '<f4' or '<i8'."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        array.array({"<f4": "f", "<i8": "q"}[kind], values).tofile(file)


def parse_npy(data):
    """(values, shape) of the bytes of a .npy file."""
    length = struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
    start = (10 if data[6] == 1 else 12) + length
    header = eval(data[start - length:start], {"__builtins__": {}})  # a literal, as numpy writes it
    values = array.array({"f4": "f", "f8": "d", "i4": "i", "i8": "q", "i1": "b"}[header["descr"][1:]])
    values.frombytes(data[start:])
    return values, header["shape"]


def read_npy(path):
    with open(path, "rb") as file:
        return parse_npy(file.read())


def draw(planted, folder):
    """Data of a synthetic Reddit."""
    drawn = random.Random(planted.seed)
    count = planted.classes * planted.communities
    community = [drawn.randrange(count) for _ in range(planted.vertices)]
    # Neighbouring numbers are other classes, so that no order of communities gives the class away.
    label = [each % planted.classes for each in community]
    members = [[] for _ in range(count)]
    for vertex, each in enumerate(community):
        members[each].append(vertex)
    graph = os.path.join(folder, "planted.txt")
    with open(graph, "w", encoding="utf-8") as file:
        for _ in range(planted.vertices * planted.degree // 2):
            a = drawn.randrange(planted.vertices)
            b = drawn.choice(members[community[a]]) if drawn.random() < planted.inside else drawn.randrange(planted.vertices)
            file.write(f"{a} {b}\n{b} {a}\n")
        file.write(f"{planted.vertices - 1} {planted.vertices - 1}\n")  # so that all vertices are there
    means = [[drawn.gauss(0, 1) for _ in range(planted.features)] for _ in range(count)]
    values = itertools.chain.from_iterable(
        (planted.strength * mean + drawn.gauss(0, 1) for mean in means[each]) for each in community)
    features = os.path.join(folder, "features.npy")
    write_npy(features, "<f4", values, (planted.vertices, planted.features))
    order = list(range(planted.vertices))
    drawn.shuffle(order)
    trained = order[:int(planted.vertices * planted.trained)]
    test = order[int(planted.vertices * (planted.trained + planted.validated)):]
    return Data(graph, features, write_labels(folder, label, trained), label, test, trained, (planted.features, planted.classes))


def normalized(data, folder):
    """The matrix that GCN multiplies with, as a file: of the graph of numbers of edges, with one more at each vertex. And how
    many numbers it has."""
    edges = collections.Counter((vertex, vertex) for vertex in range(len(data.all_labels)))
    with open(data.graph, encoding="utf-8") as file:
        edges.update((a, b) for a, b in (map(int, line.split()) for line in file) if a != b)
    degree = collections.Counter()
    for (a, _), count in edges.items():
        degree[a] += count
    path = os.path.join(folder, "normalized.mtx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{len(data.all_labels)} {len(data.all_labels)} {len(edges)}\n")
        for (a, b), count in sorted(edges.items()):
            file.write(f"{a + 1} {b + 1} {count / (degree[a] * degree[b]) ** 0.5:.9g}\n")
    return path, len(edges)


def write_labels(folder, label, trained):
    path = os.path.join(folder, "labels.npy")
    known = set(trained)
    write_npy(path, "<i8", [each if vertex in known else IGNORED for vertex, each in enumerate(label)], (len(label),))
    return path


def citations(source, folder):
    """Data of a folder like test/models/cora, with features whose rows add up to 1."""
    with zipfile.ZipFile(os.path.join(source, "features.npz")) as file:
        starts, columns, values = (parse_npy(file.read(name + ".npy"))[0] for name in ("indptr", "indices", "data"))
        rows, width = parse_npy(file.read("shape.npy"))[0]
    dense = array.array("f", bytes(4 * rows * width))
    for row in range(rows):
        of_row = range(starts[row], starts[row + 1])
        total = sum(values[i] for i in of_row) or 1
        for i in of_row:
            dense[row * width + columns[i]] = values[i] / total
    features = os.path.join(folder, "features.npy")
    write_npy(features, "<f4", dense, (rows, width))
    label, trained, test = (list(read_npy(os.path.join(source, name + ".npy"))[0]) for name in ("labels", "train", "test"))
    return Data(os.path.join(source, "adjacency.npz"), features, write_labels(folder, label, trained), label, test, trained,
                (width, max(label) + 1))


def accuracy(logits, data):
    """Share of the test vertices whose largest logit is their label's; `logits`: a .npy file."""
    values, (_, classes) = read_npy(logits)
    right = 0
    for vertex in data.test:
        row = values[vertex * classes:(vertex + 1) * classes]
        right += row.index(max(row)) == data.all_labels[vertex]
    return right / len(data.test)


def add_options(parser):
    parser.add_argument("--bin", default=os.path.join(ROOT, "bazel-bin"), help="what is built; default: bazel-bin")
    parser.add_argument("--threads", type=int, default=os.cpu_count(),
                        help="1 where others use the machine, too; default: %(default)s")
    parser.add_argument("--vertices", type=int, default=Planted.vertices, help="default: %(default)s")


class Trainer:
    """Plans of one network that train and evaluate, and what comes of them."""

    def __init__(self, options, data, folder, words, rate=0.01, dropout=0.0, decay=0.0, room=None, memory=None, graph=None,
                 compiled=()):
        """`words`: of smex-zoo. `room`: (nodes, edges) of a plan that trains on samples; else on the whole graph.
        `memory`: a limit of smexc's. `graph`: a file in place of the data's. `compiled`: further options of the plan that
        trains."""
        self.options, self.data, self.folder = options, data, folder
        os.makedirs(folder, exist_ok=True)
        features, classes = data.widths
        model = os.path.join(folder, "model.json")
        self.call("smex-zoo", *words, "--features", features, "--classes", classes, "--dropout", dropout, "-o", model)
        whole = ["--graph", graph or data.graph]
        given = ["--dim", f"nodes={room[0]}", "--dim", f"edges={room[1]}"] if room else whole
        limit = ["--memory-per-gpu", memory] if memory else []
        self.call("smexc", model, *given, *compiled, "--gpus", 1, "--train", "--loss", "cross_entropy", "--ignore-index", IGNORED,
                  "--optimizer", "adam", "--lr", rate, "--weight-decay", decay, *limit, "--cuda-arch", "none", "-o", self.path("plan"))
        self.call("smexc", model, *whole, "--gpus", 1, "--cuda-arch", "none", "-o", self.path("evaluation"))
        self.steps, self.seconds = 0, 0.0

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, program, *words):
        command = [os.path.join(self.options.bin, "tools", program), *map(str, words)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")

    def train(self, steps, *more, seed=1):
        """So many further steps; `more`: of smex-run, such as how to sample."""
        resumed = ["--resume"] if self.steps else []
        self.call("smex-run", self.path("plan"), "--input", f"features={self.data.features}", "--input",
                  f"labels={self.data.labels}", "--seed", seed, "--steps", self.steps + steps, "--checkpoint-dir",
                  self.path("checkpoints"), "--checkpoint-every", 1000000, *resumed, "--save-parameters",
                  self.path("parameters.safetensors"), "--metrics", self.path("metrics.json"), "--threads", self.options.threads,
                  *more)
        with open(self.path("metrics.json"), encoding="utf-8") as file:
            self.metrics = json.load(file)
        self.seconds += sum(step["seconds"] for step in self.metrics["steps"][-steps:])
        self.steps += steps

    def accuracy(self):
        """On the test vertices of the whole graph."""
        self.call("smex-run", self.path("evaluation"), "--input", f"features={self.data.features}", "--parameters",
                  self.path("parameters.safetensors"), "--output-dir", self.path("out"), "--threads", self.options.threads)
        return accuracy(self.path("out/logits.npy"), self.data)
