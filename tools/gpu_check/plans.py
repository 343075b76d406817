"""What is packed: every plan, as smexc is to make it, and how it is run there."""

import json
import os
import random
from dataclasses import dataclass, field

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
MODELS = os.path.join(ROOT, "test/models")
DEBIANS_CASES = "/usr/lib/python3/dist-packages/onnx/backend/test/data/node"
TOLERANCES = {"f32": 1e-4, "f16": 0.0078, "bf16": 0.0625}  # those of smex-run --verify


# Groups of test/conformance.
SUITE = "graphs;specials;indices;moves;lambdas;cases;edges"
SUITE_TINY = "graphs;moves"


@dataclass
class Plan:
    """One compilation, and a run of it that is compared with the CPU's, or with PyTorch's."""

    name: str
    group: str  # models, conformance, bench
    gpus: int
    model: list = None  # arguments of smex-zoo, or
    file: str = None  # a model's file, or
    text: dict = None  # a model as JSON
    options: list = field(default_factory=list)  # of smexc
    inputs: dict = field(default_factory=dict)  # of smex-run: name to file
    outputs: str = None  # a folder of expected outputs; else the CPU's are taken
    losses: str = None  # a file of expected losses; else the CPU's are taken
    steps: int = 1
    train: bool = False
    type: str = "f32"
    sanitize: bool = False  # small enough for compute-sanitizer
    may_fail: bool = False  # left out, where smexc refuses it, or the CPU's run fails
    about: dict = field(default_factory=dict)  # of a benchmark


def small_models():
    """Those of the zoo's tests: name to arguments; and how they are trained."""
    scope = {}
    with open(os.path.join(ROOT, "test/tools/zoo/small.bzl")) as file:
        exec(file.read(), scope)  # Starlark that is Python, too
    return {**scope["SMALL"], **scope["SMALL_HALF"]}, scope["LOSS"]


def files_of(folder, sub):
    folder = os.path.join(folder, sub)
    if not os.path.isdir(folder):
        return {}
    return {os.path.splitext(name)[0]: os.path.join(folder, name) for name in sorted(os.listdir(folder))}


def real_model(name, gpus, **more):
    folder = os.path.join(MODELS, name)
    constants = [word for key, file in files_of(folder, "constants").items() for word in ("--constant", f"{key}={file}")]
    return Plan(f"{name} N={gpus}", "models", gpus, file=os.path.join(folder, "model.onnx"), options=constants,
                inputs=files_of(folder, "inputs"), outputs=os.path.join(folder, "outputs"), **more)


def training_model(name, gpus, steps, **more):
    folder = os.path.join(MODELS, "training", name)
    with open(os.path.join(folder, "train.json")) as file:
        how = json.load(file)
    options = ["--train", "--loss", how["loss"], "--optimizer", how["optimizer"], "--lr", str(how["lr"])]
    for key, value in how["options"].items():
        options += ["--" + key.replace("_", "-"), str(value)]
    return Plan(f"{name} N={gpus}", "models", gpus, file=os.path.join(folder, "model.onnx"), options=options,
                inputs=files_of(folder, "inputs"), losses=os.path.join(folder, "losses.npy"), steps=steps, train=True,
                **more)


def zoo(name, group, gpus, arguments, train=None, **more):
    options = train.split() if train else []
    kind = arguments.split("--type ")[1].split()[0] if "--type" in arguments else "f32"
    return Plan(name if group == "bench" else f"{name} N={gpus}", group, gpus, model=arguments.split(), options=options, train=bool(train), type=kind,
                **more)


MOMENTUM = "--train --optimizer momentum --lr 0.01"


def node_cases(count, gpus, seed=1):
    """Single operators, a sample drawn from a seed, with inputs that smex-run draws."""
    all_cases = []
    for folder in [os.path.join(MODELS, "onnx_cases"), DEBIANS_CASES]:
        if os.path.isdir(folder):
            all_cases += [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                          if os.path.exists(os.path.join(folder, name, "model.onnx"))]
    chosen = sorted(random.Random(seed).sample(all_cases, min(count, len(all_cases))))
    return [Plan(f"{os.path.basename(case)} N={n}", "conformance", n, file=os.path.join(case, "model.onnx"),
                 may_fail=True) for case in chosen for n in gpus]


def lambda_model(shape, line):
    """A model of one operator, which is given as its lambda."""
    op = line.split("(")[0]
    return {"format": "smex-model", "version": 1, "opset": 23,
            "inputs": [{"name": "x", "type": "f32", "shape": shape}],
            "nodes": [{"op": op, "name": "y", "inputs": ["x"], "outputs": ["y"]}], "outputs": ["y"],
            "operators": [line]}


def sum_model(width):
    """The sum of what edges bring to each node."""
    return {"format": "smex-model", "version": 1, "opset": 23,
            "graph": {"nodes": "nodes", "edges": "edges", "sources": "sources", "destinations": "destinations"},
            "inputs": [{"name": "features", "type": "f32", "shape": ["nodes", width]}],
            "nodes": [{"op": "at_ends", "name": "messages", "inputs": ["features", "sources"], "outputs": ["messages"]},
                      {"op": "sum_messages", "name": "sum", "inputs": ["messages", "destinations", "features"],
                       "outputs": ["sum"]}],
            "outputs": ["sum"]}


def benchmarks(tiny):
    """One worker each, but for fetches; weights are drawn."""
    resnet = "--depth 18 --channels 1 --image 32 --classes 2 --batch 2" if tiny else "--depth 50 --batch 64"
    sizes = dict(layers=1, hidden=8, heads=1, sequence=4, vocabulary=8, batch=1) if tiny else \
        dict(layers=12, hidden=768, heads=12, sequence=1024, vocabulary=50257, batch=8)
    gpt = " ".join(f"--{key} {value}" for key, value in sizes.items())
    steps = 3 if tiny else 14
    plans = []
    for kind in "f32", "bf16":
        plans += [
            zoo(f"ResNet-50 {kind}", "bench", 1, f"resnet {resnet} --type {kind}", MOMENTUM, steps=steps,
                about={"row": "step", "model": "resnet50", "batch": 2 if tiny else 64, "image": 32 if tiny else 224,
                       "tiny": tiny}),
            zoo(f"GPT {kind}", "bench", 1, f"transformer {gpt} --type {kind}",
                "--train --optimizer adamw --lr 0.0001", steps=steps,
                about={"row": "step", "model": "gpt", "tiny": tiny, **sizes}),
        ]
    # More than caches hold, and little to draw.
    n = 4096 if tiny else 1 << 27
    plans.append(Plan("fetch from one", "bench", 2, steps=3 if tiny else 10,
                      text=lambda_model([n], "reversed(x[n]): lambda i < n: x[n - 1 - i] + 1"),
                      about={"row": "fetch", "bytes": 4 * n}))
    n = 4096 if tiny else 1 << 26
    # Four workers need all of x, whose part of it goes around its end, and four need five eighths.
    plans.append(Plan("fetch from eight", "bench", 8, steps=3 if tiny else 10,
                      text=lambda_model([n], "strewn(x[n]): lambda i < n: x[i * 5 % n] + 1"),
                      about={"row": "fetch", "bytes": (4 * 8 + 4 * 5) * 4 * n // 8}))
    cells = "--layers 1 --hidden 4 --steps 3 --input 4 --batch 1" if tiny else \
        "--layers 4 --hidden 16 --steps 60 --input 16 --batch 4"
    plans.append(zoo("host overhead", "bench", 1, f"rnn {cells}", "--train --loss mse --optimizer sgd --lr 0.01",
                     steps=3 if tiny else 30, about={"row": "overhead"}))
    # ogbn-products: 2,449,029 nodes, 61,859,140 undirected edges, here each once.
    nodes, edges = (60, 300) if tiny else (2449029, 61859140)
    for width in 64, 256:
        plans.append(Plan(f"sum of messages, {width} features", "bench", 1, text=sum_model(width),
                          options=["--dim", f"nodes={nodes}", "--dim", f"edges={edges}"], steps=3 if tiny else 6,
                          about={"row": "aggregate", "width": width, "nodes": nodes, "edges": edges}))
    return plans


def full(cases):
    plans = []
    for name in ["mlp", "lstm", "resnet18", "mobilenet_v2", "transformer_encoder", "unet", "pyg_gcn", "pyg_gat",
                 "gat_gather_scatter", "gcn_gather_scatter"]:
        for n in 1, 8:
            plans.append(real_model(name, n, sanitize=(name, n) in [("mlp", 8), ("pyg_gcn", 8), ("resnet18", 1)]))
    for name, steps in [("mlp_sgd", 6), ("lstm_adagrad", 6), ("transformer_adam", 6), ("resnet_momentum", 2)]:
        for n in 1, 8:
            plans.append(training_model(name, n, steps, sanitize=(name, n) == ("mlp_sgd", 8)))
    for n in 1, 8:
        plans.append(zoo("ResNet-50 of batch 4", "models", n, "resnet --depth 50 --batch 4"))
        plans.append(zoo("GPT of 2 layers, training", "models", n,
                         "transformer --layers 2 --sequence 128 --vocabulary 1000 --batch 4", MOMENTUM, steps=2))
    small, loss = small_models()
    for name, arguments in small.items():
        for n in 1, 3, 8:
            plans.append(zoo(name, "conformance", n, arguments))
        for n in 1, 8:
            plans.append(zoo(name + ", training", "conformance", n, arguments,
                             f"{MOMENTUM} --loss {loss.get(name, 'cross_entropy')}"))
    return plans + node_cases(cases, [1, 3]) + benchmarks(tiny=False)


def tiny(cases):
    small, _ = small_models()
    return [real_model("mlp", 1, sanitize=True), real_model("mlp", 3), training_model("mlp_sgd", 2, 2),
            zoo("mlp", "conformance", 3, small["mlp"]),
            *node_cases(min(cases, 1), [2]), *benchmarks(tiny=True)]
