#!/usr/bin/env python3
"""A second opinion on races in the kernels of a plan: SentryWard's.

SentryWard (PyPI, 0.1.1) proves for a launch of fixed size that every pair of
conflicting accesses is ordered, in all schedules; our interpreter of PTX sees
the one schedule that it runs. Bounds it does not check, and pointers it takes to
point to different memory.

    races.py [--models NAME..] [--gpus N] [--sentryward PROGRAM] [--seconds S]

Each kernel of the models' plans is proven in the smallest of the launches that
a run on emulated GPUs made of it, and then with each of its barriers removed,
which ought to be a race. `no verdict`: it does not know an instruction, or its
time ran out; the reasons are listed.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

BARRIER = re.compile(r"^\s*(?:@%?\w+\s+)?(?:bar|barrier)\.(?:cta\.)?sync\b.*;.*$", re.M)


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def launches_of(options, model, folder):
    """The text of the plan's PTX, and its launches as the emulated driver recorded them."""
    plan, record = os.path.join(folder, "plan"), os.path.join(folder, "record")
    run([options.smexc, os.path.join("test/models", model, "model.onnx"), "--gpus", str(options.gpus), "--reproducible",
         "--cuda-arch", "sm_80", "-o", plan])
    inputs = []
    for file in sorted(os.listdir(os.path.join("test/models", model, "inputs"))):
        inputs += ["--input", f"{file[:-4]}={os.path.join('test/models', model, 'inputs', file)}"]
    libraries = ":".join(os.path.join(options.emulated, name) for name in ("cuda", "cublaslt", "cudnn", "nccl"))
    run([options.smex_run, plan, "--backend", "cuda"] + inputs,
        env=dict(os.environ, LD_LIBRARY_PATH=libraries, SMEX_EMULATED_RECORD=record))
    with open(os.path.join(plan, "kernels.sm_80.ptx"), encoding="utf-8") as file:
        text = file.read()
    with open(record, encoding="utf-8") as file:
        return text, [json.loads(line) for line in file]


def threads(launch):
    count = 1
    for size in launch["grid"] + launch["block"]:
        count *= size
    return count


def smallest(launches):
    """The launch of each kernel that has the fewest threads."""
    found = {}
    for launch in launches:
        name = launch["kernel"]
        if name not in found or threads(launch) < threads(found[name]):
            found[name] = launch
    return found


def entry_of(text, name):
    """The text of one kernel with what stands before all kernels, and its parameters' declarations."""
    begins = [match.start() for match in re.finditer(r"^\s*(?://[^\n]*\n\s*)*(?:\.visible\s+)?\.entry\b", text, re.M)]
    head = text[:begins[0]]
    for begin, end in zip(begins, begins[1:] + [len(text)]):
        if re.match(r"[^(]*\.entry\s+" + re.escape(name) + r"\s*\(", text[begin:end]):
            body = text[begin:end]
            return head + body, re.findall(r"\.param\s+([^,)]*)", body[:body.index(")") + 1])
    return None, []


def input_of(launch, declarations, name):
    """A launch as SentryWard takes it. Numbers are given; pointers stay symbols."""
    arguments = []
    for declared, value in zip(declarations, launch["parameters"]):
        kind, parameter = re.match(r"\.(\w+).*?([\w$]+)\s*$", declared, re.S).groups()
        if ".ptr" not in declared and value is not None:
            arguments.append({"parameter": parameter, "type": kind.replace("b", "u"), "value": value})
    return {"schema": "spverify.kernel-input/v1", "entry": name,
            "launch": {"grid_dim": launch["grid"], "block_dim": launch["block"]}, "arguments": arguments}


def verdict(options, text, given, folder):
    ptx, described = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "input.json")
    with open(ptx, "w", encoding="utf-8") as file:
        file.write(text)
    with open(described, "w", encoding="utf-8") as file:
        json.dump(given, file)
    done = subprocess.run([options.sentryward, ptx, "--input", described, "--timeout", str(options.seconds)],
                          capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return "no verdict", (done.stderr.strip().splitlines() or ["nothing said"])[-1]
    if found["result"] in ("race_free", "potential_race", "not_wellsynced"):
        return found["result"], ""
    details = found.get("diagnostics") or [{}]
    return "no verdict", f"{found['result']}: {details[0].get('message', '')}"[:160]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["mlp", "lstm", "transformer_encoder", "resnet18", "pyg_gat"])
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--sentryward", default="sentryward")
    parser.add_argument("--seconds", type=int, default=20, help="for one proof (20)")
    parser.add_argument("--smexc", default="bazel-bin/tools/smexc")
    parser.add_argument("--smex-run", default="bazel-bin/tools/smex-run")
    parser.add_argument("--emulated", default="bazel-bin/test/emulated", help="the folder of emulated libraries")
    options = parser.parse_args()
    as_is, without, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            text, launches = launches_of(options, model, folder)
            for name, launch in smallest(launches).items():
                kernel, declarations = entry_of(text, name)
                if kernel is None:  # one of kernels/cuda
                    continue
                given = input_of(launch, declarations, name)
                found, why = verdict(options, kernel, given, folder)
                as_is[found] += 1
                reasons[why] += bool(why)
                removed = collections.Counter()
                for barrier in BARRIER.finditer(kernel) if found == "race_free" else ():
                    broken = kernel[:barrier.start()] + kernel[barrier.end():]
                    removed[verdict(options, broken, given, folder)[0]] += 1
                without += removed
                print(f"{model:20} {name:44} {threads(launch):8} threads: {found} {why}"
                      + (f"; a barrier removed: {dict(removed)}" if removed else ""), flush=True)
    print(f"kernels: {dict(as_is)}")
    print(f"with a barrier removed: {dict(without)}")
    for why, count in reasons.most_common():
        if why:
            print(f"{count:4} times {why}")
    return 3 if as_is["potential_race"] or as_is["not_wellsynced"] else 0


if __name__ == "__main__":
    sys.exit(main())
