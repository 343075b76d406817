#!/usr/bin/python3
"""Full-size ResNet-50 (224x224), one worker on this machine's cores, against PyTorch.

usage: examples/bench/resnet50.py [--batch 4] [--rounds 9]

Needs torch, torchvision and onnx (from PyPI, or Debian's python3-torch, python3-torchvision and python3-onnx), and a build
(bazel build //tools:smexc //tools:smex-run). Runs alternate, medians are
compared; both sides compute the same model with the same weights, and the
outputs are compared too. Then smexc is timed for 8 GPUs.
"""
import argparse, inspect, json, os, statistics, subprocess, sys, tempfile, time, warnings

import numpy as np
import torch
import torchvision

warnings.filterwarnings("ignore")
BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bazel-bin/tools")


def smex_seconds(plan, image, rounds, work):
    """Seconds of each of `rounds` runs of the plan in one process."""
    metrics = os.path.join(work, "metrics.json")
    subprocess.run([os.path.join(BIN, "smex-run"), plan, "--input", "image=" + image,
                    "--steps", str(rounds), "--metrics", metrics, "--output-dir", os.path.join(work, "out")],
                   check=True, stdout=subprocess.DEVNULL)
    with open(metrics) as f:
        return [step["seconds"] for step in json.load(f)["steps"]]


def torch_seconds(net, image, rounds):
    seconds = []
    with torch.no_grad():
        for _ in range(rounds):
            start = time.perf_counter()
            net(image)
            seconds.append(time.perf_counter() - start)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    torch.set_num_threads(os.cpu_count())  # as smex-run; some builds default to one
    torch.manual_seed(7)
    net = torchvision.models.resnet50().eval()
    image = torch.randn(args.batch, 3, 224, 224)
    with tempfile.TemporaryDirectory() as work:
        model, file = os.path.join(work, "resnet50.onnx"), os.path.join(work, "image.npy")
        # Newer releases export by another way unless told not to; older ones know no other.
        legacy = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
        torch.onnx.export(net, (image,), model, input_names=["image"], output_names=["output0"], opset_version=16,
                          **legacy)
        np.save(file, image.numpy())
        plan = os.path.join(work, "plan")
        subprocess.run([os.path.join(BIN, "smexc"), model, "--gpus", "1", "-o", plan], check=True,
                       stdout=subprocess.DEVNULL)
        torch_seconds(net, image, 2)
        ours, theirs = [], []
        for _ in range(3):  # alternate: this machine may be noisy
            ours += smex_seconds(plan, file, args.rounds, work)[1:]
            theirs += torch_seconds(net, image, args.rounds)[1:]
        with torch.no_grad():
            expected = net(image).numpy()
        difference = np.abs(np.load(os.path.join(work, "out/output0.npy")) - expected).max() / np.abs(expected).max()
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"ResNet-50, 224x224, batch {args.batch}, one worker, {torch.get_num_threads()} threads")
        print(f"{'':24}{'seconds':>10}{'samples/s':>12}")
        print(f"{'smex-run':24}{a:10.3f}{args.batch / a:12.1f}")
        print(f"{'PyTorch ' + torch.__version__:24}{b:10.3f}{args.batch / b:12.1f}")
        print(f"ratio (PyTorch / smex-run, above 1 is faster): {b / a:.2f}; outputs differ by {difference:.1e} relative")

        rows = []
        for _ in range(5):
            stats = os.path.join(work, "stats.json")
            subprocess.run([os.path.join(BIN, "smexc"), model, "--gpus", "8", "-o", plan, "--stats", stats], check=True,
                           stdout=subprocess.DEVNULL)
            with open(stats) as f:
                rows.append(json.load(f))
        print("\nsmexc, the same model, 8 GPUs (aim: under 1 s beside the writing of weights)")
        for key in ["search_seconds", "codegen_seconds", "compile_seconds", "total_seconds"]:
            print(f"{key:24}{statistics.median(row[key] for row in rows):10.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
