#!/usr/bin/python3
"""A training step (SGD with momentum) on one worker of this machine's cores, against PyTorch.

usage: examples/bench/training.py [--batch 4] [--rounds 8] [--only resnet18|transformer]

ResNet-18 on images of 224x224, and a small transformer encoder. Needs torch,
torchvision and onnx (from PyPI, or Debian's python3-torch, python3-torchvision
and python3-onnx), and a build (bazel build //tools:smexc //tools:smex-run).
Runs alternate, medians are compared, of seconds and of user CPU seconds; both
sides train the same model with the same weights on one batch, and the losses
are compared, too.
"""
import argparse, inspect, json, os, resource, statistics, subprocess, sys, tempfile, time, warnings

import numpy as np
import torch
import torchvision
from torch import nn

warnings.filterwarnings("ignore")
BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin/tools")
RATE, MOMENTUM = 0.01, 0.9
WARM = 2  # steps of a process that don't count


class Block(nn.Module):
    """An encoder layer, written out: torch's own exports differently from release to release."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        n, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5, -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(n, t, d))
        return x + self.down(torch.relu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, words=1000, width=256, heads=4, layers=4, hidden=1024, length=128):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(*[Block(width, heads, hidden) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.embed(tokens) + self.place)))


def user_seconds(who):
    return resource.getrusage(who).ru_utime


def smex_steps(plan, inputs, steps, work):
    """Seconds and losses of each step of one process, and its user CPU seconds."""
    metrics = os.path.join(work, "metrics.json")
    before = user_seconds(resource.RUSAGE_CHILDREN)
    subprocess.run([os.path.join(BIN, "smex-run"), plan, "--steps", str(steps), "--metrics", metrics]
                   + [word for name, file in inputs.items() for word in ("--input", f"{name}={file}")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    user = user_seconds(resource.RUSAGE_CHILDREN) - before
    with open(metrics) as f:
        rows = json.load(f)["steps"]
    return [row["seconds"] for row in rows], [row["loss"] for row in rows], user


def torch_steps(net, optimizer, x, labels, steps):
    seconds, losses = [], []
    for step in range(steps):
        if step == WARM:
            before = user_seconds(resource.RUSAGE_SELF)
        start = time.perf_counter()
        optimizer.zero_grad()
        y = net(x)
        loss = nn.functional.cross_entropy(y.flatten(0, -2), labels.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
    return seconds, losses, (user_seconds(resource.RUSAGE_SELF) - before) / (steps - WARM)


def compare(name, net, x, labels, rounds):
    net.train()
    with tempfile.TemporaryDirectory() as work:
        state = {key: value.clone() for key, value in net.state_dict().items()}
        model, plan = os.path.join(work, "model.onnx"), os.path.join(work, "plan")
        # Newer releases export by another way unless told not to; older ones know no other.
        legacy = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
        torch.onnx.export(net, (x,), model, input_names=["x"], output_names=["y"], opset_version=16,
                          training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, **legacy)
        net.load_state_dict(state)  # the export ran the network, which moves running statistics
        inputs = {"x": os.path.join(work, "x.npy"), "labels": os.path.join(work, "labels.npy")}
        np.save(inputs["x"], x.numpy())
        np.save(inputs["labels"], labels.numpy())
        subprocess.run([os.path.join(BIN, "smexc"), model, "--train", "--loss", "cross_entropy", "--optimizer", "momentum",
                        "--lr", str(RATE), "--momentum", str(MOMENTUM), "--gpus", "1", "-o", plan],
                       check=True, stdout=subprocess.DEVNULL)
        optimizer = torch.optim.SGD(net.parameters(), RATE, momentum=MOMENTUM)
        ours, theirs, users, first = [], [], ([], []), None
        for _ in range(3):  # alternate: this machine may be noisy
            seconds, losses, user = smex_steps(plan, inputs, rounds, work)
            ours += seconds[WARM:]
            # A process of fewer steps tells what starting and ending takes.
            start = smex_steps(plan, inputs, WARM, work)[2]
            users[0].append((user - start) / (rounds - WARM))
            seconds, reference, user = torch_steps(net, optimizer, x, labels, rounds)
            theirs += seconds[WARM:]
            users[1].append(user)
            first = first or (losses, reference)
        difference = max(abs(a - b) for a, b in zip(*first)) / abs(first[1][0])
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{name}, one worker, {torch.get_num_threads()} threads")
        print(f"{'':24}{'seconds':>10}{'user CPU':>10}")
        print(f"{'smex-run':24}{a:10.3f}{statistics.median(users[0]):10.3f}")
        print(f"{'PyTorch ' + torch.__version__:24}{b:10.3f}{statistics.median(users[1]):10.3f}")
        print(f"ratio (PyTorch / smex-run, above 1 is faster): {b / a:.2f}; "
              f"losses of {rounds} steps differ by {difference:.1e} of the first", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=8, help="steps per process; the first two don't count")
    parser.add_argument("--only", choices=["resnet18", "transformer"])
    args = parser.parse_args()
    torch.set_num_threads(os.cpu_count())  # as smex-run; some builds default to one
    torch.manual_seed(7)
    if args.only != "transformer":
        compare(f"ResNet-18, 224x224, batch {args.batch}", torchvision.models.resnet18(),
                torch.randn(args.batch, 3, 224, 224), torch.randint(0, 1000, (args.batch,)), args.rounds)
    if args.only != "resnet18":
        compare(f"Transformer, 4 layers of 256, 128 tokens, batch {args.batch}", Transformer(),
                torch.randint(0, 1000, (args.batch, 128)), torch.randint(0, 1000, (args.batch, 128)), args.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
