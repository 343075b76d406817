"""What others need for the same work, by PyTorch: a child that answers requests, a line of JSON each.

{"do": "step", "model": "resnet50" or "gpt", "type", "way": "eager" or "compile", "tf32", "steps", sizes}: seconds of steps
{"do": "aggregate", "graph": FILE, "width", "steps"}: seconds of products by a CSR matrix that stays there
{"do": "about"}: versions

Models are kept, so that torch.compile compiles each once. float32 is without TF32, unless asked for.
"""

import json
import os
import sys
import time

DEVICE = os.environ.get("SMEX_PEERS_DEVICE", "cuda")  # "cpu": to try this program


def synchronize():
    import torch
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def allow_tf32(allow):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = allow
    torch.backends.cudnn.allow_tf32 = allow


def networks():
    """The two networks of smex-zoo, as one writes them for PyTorch."""
    import torch
    from torch import nn
    from torch.nn import functional

    def normed(channels_in, channels, size, stride=1):
        return nn.Sequential(nn.Conv2d(channels_in, channels, size, stride, size // 2, bias=False),
                             nn.BatchNorm2d(channels))

    class Block(nn.Module):
        def __init__(self, channels_in, width, stride):
            super().__init__()
            self.reduce, self.spatial = normed(channels_in, width, 1), normed(width, width, 3, stride)
            self.expand = normed(width, 4 * width, 1)
            whole = stride == 1 and channels_in == 4 * width
            self.shortcut = nn.Identity() if whole else normed(channels_in, 4 * width, 1, stride)

        def forward(self, x):
            y = functional.relu(self.reduce(x))
            y = functional.relu(self.spatial(y))
            return functional.relu(self.expand(y) + self.shortcut(x))

    class ResNet50(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, blocks, channels = normed(3, 64, 7, 2), [], 64
            for group, count in enumerate([3, 4, 6, 3]):
                for i in range(count):
                    blocks.append(Block(channels, 64 << group, 2 if group and not i else 1))
                    channels = 256 << group
            self.blocks, self.classifier = nn.Sequential(*blocks), nn.Linear(channels, 1000)

        def forward(self, x):
            x = functional.max_pool2d(functional.relu(self.stem(x)), 3, 2, 1)
            return self.classifier(self.blocks(x).mean((2, 3)))

    class Layer(nn.Module):
        def __init__(self, hidden, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
            self.qkv, self.projection = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
            self.inner, self.outer = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

        def forward(self, x):
            batch, length, hidden = x.shape
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                       for part in self.qkv(self.norm1(x)).chunk(3, -1))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.projection(y.transpose(1, 2).reshape(batch, length, hidden))
            return x + self.outer(functional.gelu(self.inner(self.norm2(x)), approximate="tanh"))

    class Gpt(nn.Module):
        def __init__(self, layers, hidden, heads, sequence, vocabulary):
            super().__init__()
            self.table = nn.Embedding(vocabulary, hidden)
            self.positions = nn.Parameter(torch.randn(sequence, hidden) * 0.02)
            self.layers = nn.Sequential(*[Layer(hidden, heads) for _ in range(layers)])
            self.norm = nn.LayerNorm(hidden)
            nn.init.normal_(self.table.weight, std=0.02)

        def forward(self, tokens):
            return self.norm(self.layers(self.table(tokens) + self.positions)) @ self.table.weight.T

    return ResNet50, Gpt


class Trained:
    """A network, its optimizer and one batch."""

    def __init__(self, task):
        import torch
        resnet, gpt = networks()
        kind = {"f32": torch.float32, "bf16": torch.bfloat16}[task["type"]]
        torch.manual_seed(1)
        if task["model"] == "resnet50":
            side = task.get("image", 224)
            net, self.x = resnet(), torch.randn(task["batch"], 3, side, side)
            self.labels = torch.randint(0, 1000, (task["batch"],))
        else:
            net = gpt(*(task[key] for key in ("layers", "hidden", "heads", "sequence", "vocabulary")))
            shape = (task["batch"], task["sequence"])
            self.x, self.labels = (torch.randint(0, task["vocabulary"], shape) for _ in range(2))
        net = net.to(DEVICE, kind).train()
        self.x, self.labels = self.x.to(DEVICE), self.labels.to(DEVICE)
        if task["model"] == "resnet50":
            self.x = self.x.to(kind)
            if task["type"] == "bf16":  # what cuDNN is fastest with
                net, self.x = (each.to(memory_format=torch.channels_last) for each in (net, self.x))
            self.optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
        else:
            self.optimizer = torch.optim.AdamW(net.parameters(), 1e-4, fused=DEVICE == "cuda")
        self.net = torch.compile(net) if task["way"] == "compile" else net

    def step(self):
        import torch
        started = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        y = self.net(self.x)
        loss = torch.nn.functional.cross_entropy(y.flatten(0, -2), self.labels.flatten())
        loss.backward()
        self.optimizer.step()
        value = loss.item()
        synchronize()
        return time.perf_counter() - started, value


trained = {}


def step(task):
    import torch
    allow_tf32(task.get("tf32", False))
    key = json.dumps({key: value for key, value in task.items() if key != "steps"}, sort_keys=True)
    if key not in trained:
        trained[key] = Trained(task)
    rows = [trained[key].step() for _ in range(task["steps"])]
    trained[key].optimizer.zero_grad(set_to_none=True)
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
    return {"seconds": [seconds for seconds, _ in rows], "losses": [loss for _, loss in rows]}


matrices = {}


def aggregate(task):
    import numpy as np
    import torch
    allow_tf32(False)
    if task["graph"] not in matrices:
        with np.load(task["graph"]) as file:
            starts, ends, shape = file["indptr"], file["indices"], tuple(int(n) for n in file["shape"])
        ones = torch.ones(len(ends), device=DEVICE)
        rows = torch.sparse_csr_tensor(torch.from_numpy(starts.astype(np.int32)).to(DEVICE),
                                       torch.from_numpy(ends.astype(np.int32)).to(DEVICE), ones, shape)
        # Rows are where edges come from, and sums are where they go to.
        matrices[task["graph"]] = rows.transpose(0, 1).to_sparse_csr()
    matrix = matrices[task["graph"]]
    features = torch.randn(matrix.shape[1], task["width"], device=DEVICE)
    seconds = []
    for _ in range(task["steps"]):
        synchronize()
        started = time.perf_counter()
        matrix @ features
        synchronize()
        seconds.append(time.perf_counter() - started)
    return {"seconds": seconds}


def about(_):
    import torch
    return {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
            "available": torch.cuda.is_available()}


def main():
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no reply
    for line in sys.stdin:
        task = json.loads(line)
        try:
            reply = {"about": about, "step": step, "aggregate": aggregate}[task.pop("do")](task)
        except Exception as error:  # whatever it is, the next request may do
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        replies.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main()
