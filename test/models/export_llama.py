"""Makes training/llama_half: a small model of Llama's architecture (root mean square norms, rotary positions, gated
feed-forward), of bfloat16 and of float16, as PyTorch's exporter writes it with its optimizer (TYPE_optimized.onnx) and
without (TYPE_plain.onnx); the losses of six steps of SGD and of AdamW, as PyTorch trains it in that type. It gets NaN from
AdamW in float16, whose epsilon is 0 there: these losses are float32's. Needs torch, onnx, onnxscript; made with 2.15.

usage: export_llama.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch
import torch.nn.functional as F

HIDDEN, HEADS, INNER, WORDS, LAYERS, BATCH, LENGTH, STEPS = 16, 2, 32, 40, 2, 2, 8, 6
HEAD = HIDDEN // HEADS
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.onnx.fx_node", "pkg.torch.onnx.name_scopes",
        "pkg.onnxscript.optimizer.folded_from", "pkg.onnxscript.rewriter.rule_name"]


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(HIDDEN))

    def forward(self, x):
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


def half_turn(x):
    return torch.cat((-x[..., HEAD // 2:], x[..., :HEAD // 2]), -1)


def linear(inner, outer):
    return torch.nn.Linear(inner, outer, bias=False)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (linear(HIDDEN, HIDDEN) for _ in range(4))
        self.gate, self.up, self.down = linear(HIDDEN, INNER), linear(HIDDEN, INNER), linear(INNER, HIDDEN)
        self.before, self.between = Norm(), Norm()

    def forward(self, x, cos, sin, mask):
        h = self.before(x)
        q, k, v = (f(h).view(x.shape[0], x.shape[1], HEADS, HEAD).transpose(1, 2) for f in (self.q, self.k, self.v))
        q, k = q * cos + half_turn(q) * sin, k * cos + half_turn(k) * sin
        scores = q @ k.transpose(2, 3) * HEAD**-0.5 + mask
        p = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        x = x + self.o((p @ v).transpose(1, 2).reshape(x.shape))
        h = self.between(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, HIDDEN)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = Norm(), linear(HIDDEN, WORDS)

    def forward(self, tokens):
        x = self.embedding(tokens)
        length = tokens.shape[1]
        frequencies = 10000 ** (-torch.arange(0, HEAD, 2).float() / HEAD)
        angles = (torch.arange(length).float()[:, None] * frequencies).repeat(1, 2)
        mask = torch.full((length, length), torch.finfo(x.dtype).min, dtype=x.dtype).triu(1)
        for layer in self.layers:
            x = layer(x, angles.cos().to(x.dtype), angles.sin().to(x.dtype), mask)
        return self.head(self.norm(x))


def made(kind):
    """One weight is the number that scores are multiplied with, a constant that the optimizer merges: of 16 bits, numbers
    are often equal."""
    torch.manual_seed(4)
    model = Llama().to(kind)
    with torch.no_grad():
        model.layers[0].q.weight[0, 0] = HEAD**-0.5
    return model


def strip(path):
    model = onnx.load(path)
    model.doc_string = ""
    for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        kept = [entry for entry in each.metadata_props if entry.key in KEPT]
        del each.metadata_props[:]
        each.metadata_props.extend(kept)
    del model.graph.value_info[:]
    onnx.save(model, path)


def losses(kind, optimizer, tokens, labels):
    model = made(kind)
    steps = {"sgd": lambda p: torch.optim.SGD(p, lr=0.5), "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2)}
    step = steps[optimizer](model.parameters())
    found = []
    for _ in range(STEPS):
        step.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), labels.flatten())
        loss.backward()
        step.step()
        found.append(loss.item())
    return np.float32(found)


def main(root):
    torch.set_num_threads(1)
    folder = os.path.join(root, "training/llama_half")
    os.makedirs(folder + "/inputs", exist_ok=True)
    torch.manual_seed(5)
    tokens, labels = torch.randint(0, WORDS, (BATCH, LENGTH)), torch.randint(0, WORDS, (BATCH, LENGTH))
    np.save(folder + "/inputs/tokens.npy", tokens.numpy())
    np.save(folder + "/inputs/labels.npy", labels.numpy())
    for name, kind in [("bf16", torch.bfloat16), ("f16", torch.float16)]:
        for file, optimize in [("optimized", True), ("plain", False)]:
            path = f"{folder}/{name}_{file}.onnx"
            torch.onnx.export(made(kind), (tokens,), path, input_names=["tokens"], output_names=["output0"], dynamo=True,
                              optimize=optimize, external_data=False, verbose=False)
            strip(path)
        for optimizer in ["sgd", "adamw"]:
            found = losses(kind, optimizer, tokens, labels)
            if np.isnan(found).any():
                found = losses(torch.float32, optimizer, tokens, labels)
            print(name, optimizer, found)
            np.save(f"{folder}/{name}_{optimizer}.npy", found)


if __name__ == "__main__":
    main(sys.argv[1])
