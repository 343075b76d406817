#!/usr/bin/env python3
"""Runs ONNX's node cases through plans, by the programs that users run.

    pip install onnx==1.22.0 ml_dtypes
    test/end_to_end/make_onnx_cases.py /tmp/cases
    bazel build //tools:smexc //tools:smex-run
    test/end_to_end/onnx_plans.py /tmp/cases --gpus 1 3 [--progress FILE]
      [--list FILE] [--programs bazel-bin/tools] [CASE...]

For each case and number of GPUs: smexc, smexc check --model, smex-run --verify,
and its outputs against those of the case. Prints a line for each case that is
not ok, then a table. A case is

    ok       the outputs are those of the case, within the harness's tolerance
    refused  smexc says why it does not compile the model
    wrong    an output differs from the case's
    unsound  smexc check has a finding
    differs  smex-run --verify has a finding
    fails    smex-run stops with a message
    crash    a program ends by a signal, or takes too long

What must be known when compiling is bound with --constant: nothing if that will
do; else all inputs, less each one that need not be, the largest first. The table
says how many cases are ok with no input left to the run. With --progress, what was
measured is kept, and not measured again. With --list (such as
onnx_newest_failing.txt), the status is 0 where just those fail that it lists.
"""
import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import numpy
import onnx
from onnx import numpy_helper

SECONDS = 300
NARROW_INTEGERS = {"int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8"}


class Outcome(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.message = kind, message


def read(path, message):
    with open(path, "rb") as file:
        message.ParseFromString(file.read())
    return message


def tensors_of(info, path):
    """(name, TensorProto) of an input or output; a sequence has many."""
    kind = info.type
    if kind.HasField("optional_type"):
        kind = kind.optional_type.elem_type
        optional = read(path, onnx.OptionalProto())
        if kind.HasField("sequence_type"):
            elements = list(optional.sequence_value.tensor_values)
            return [(f"{info.name}.{i}", t) for i, t in enumerate(elements)]
        if optional.HasField("tensor_value"):
            return [(info.name, optional.tensor_value)]
        if optional.elem_type == onnx.OptionalProto.UNDEFINED and not optional.name:
            return []
        plain = read(path, onnx.TensorProto())  # some cases have the tensor
        return [(info.name, plain)] if plain.data_type else []
    if kind.HasField("sequence_type"):
        elements = read(path, onnx.SequenceProto()).tensor_values
        return [(f"{info.name}.{i}", t) for i, t in enumerate(elements)]
    return [(info.name, read(path, onnx.TensorProto()))]


class Case:
    def __init__(self, folder, scratch):
        self.folder, self.model = folder, os.path.join(folder, "model.onnx")
        graph = read(self.model, onnx.ModelProto()).graph
        known = {t.name for t in graph.initializer}
        self.inputs, self.outputs, self.dims = {}, [], []
        number = 0
        for info in graph.input:
            if info.name in known:
                continue
            path = os.path.join(folder, "test_data_set_0", f"input_{number}.pb")
            number += 1
            found = tensors_of(info, path)
            if not info.type.HasField("tensor_type"):
                self.dims.append(f"{info.name}={len(found)}")
            for name, tensor in found:
                self.inputs[name] = (tensor, self.write(scratch, tensor))
        for number, info in enumerate(graph.output):
            path = os.path.join(folder, "test_data_set_0", f"output_{number}.pb")
            self.outputs += tensors_of(info, path)

    def write(self, scratch, tensor):
        path = os.path.join(scratch, f"{len(self.inputs)}.pb")
        with open(path, "wb") as file:
            file.write(tensor.SerializeToString())
        return path

    def larger_first(self):
        return sorted(self.inputs, key=lambda n: -numpy.prod(self.inputs[n][0].dims))


def run(command):
    """Its status and what it said."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Outcome("crash", f"{os.path.basename(command[0])}: over {SECONDS} s")
    said = (done.stderr + done.stdout).decode(errors="replace").strip()
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise Outcome("crash", f"{os.path.basename(command[0])}: {name} {said[-200:]}")
    return done.returncode, said


def compile_case(case, programs, gpus, plan):
    """The options that say what the model is, and the inputs left to the run."""

    def attempt(bound):
        options = [word for dim in case.dims for word in ("--dim", dim)]
        for name in bound:
            options += ["--constant", f"{name}={case.inputs[name][1]}"]
        command = [os.path.join(programs, "smexc"), case.model, "-o", plan]
        command += ["--gpus", str(gpus), "--verify-each"]
        status, said = run(command + options)
        return options, "" if status == 0 else said or f"status {status}"

    options, reason = attempt([])
    if not reason:
        return options, list(case.inputs)
    bound = list(case.inputs)
    options, problem = attempt(bound)
    if problem:
        # Not of a file that binds too much; else the second trial had all that
        # the first one asked for.
        of_file = any(path in problem for _, path in case.inputs.values())
        raise Outcome("refused", reason if of_file else problem)
    for name in case.larger_first():
        fewer = [other for other in bound if other != name]
        options, problem = attempt(fewer)
        if not problem:
            bound = fewer
    if problem:
        options, problem = attempt(bound)
    return options, [name for name in case.inputs if name not in bound]


def expected_array(tensor):
    """As a plan writes it: of a narrow float its bits, bfloat16 as f32."""
    array = numpy_helper.to_array(tensor)
    name = array.dtype.name
    if name in NARROW_INTEGERS:
        return array.astype(NARROW_INTEGERS[name])
    if name.startswith("float8") or name.startswith("float4"):
        return array.view("uint8")
    if name == "bfloat16":
        return array.astype("float32")
    return array


def without_rest(got, shape, counts):
    """Where values say how many rows there are, a plan has zeros behind them, and
    their number as an output of its own."""
    extents = list(zip(got.shape, shape))
    if got.ndim != len(shape) or any(
        a != b and (b not in counts or a < b) for a, b in extents
    ):
        return got
    rows = tuple(slice(0, extent) for extent in shape)
    rest = got.copy()
    rest[rows] = 0
    return got if rest.any() else got[rows]


def compare(name, got, tensor, counts):
    want = expected_array(tensor)
    got = without_rest(got, want.shape, counts)
    if got.dtype != want.dtype or got.shape != want.shape:
        found = f"{got.dtype}{list(got.shape)}"
        raise Outcome(
            "wrong", f"output {name}: {found} instead of {want.dtype}{list(want.shape)}"
        )
    if want.dtype.kind == "f":
        bf16 = tensor.data_type == onnx.TensorProto.BFLOAT16
        relative, absolute = (1e-2, 1e-2) if bf16 else (1e-3, 1e-5)
        a, b = got.astype("float64"), want.astype("float64")
        with numpy.errstate(all="ignore"):
            near = numpy.abs(a - b) <= absolute + relative * numpy.abs(b)
        same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
        same |= numpy.isfinite(b) & near
    else:
        same = got == want
    if not numpy.all(same):
        at = int(numpy.flatnonzero(~same)[0])
        raise Outcome(
            "wrong",
            f"output {name}: element {at} is {got.flat[at]} instead of "
            f"{want.flat[at]}",
        )


def run_case(folder, programs, gpus, scratch):
    plan, results = os.path.join(scratch, "plan"), os.path.join(scratch, "results")
    case = Case(folder, scratch)
    described, left = compile_case(case, programs, gpus, plan)
    command = [os.path.join(programs, "smexc"), "check", plan, "--model", case.model]
    status, said = run(command + described)
    if status:
        raise Outcome("unsound", said)
    command = [os.path.join(programs, "smex-run"), plan, "--output-dir", results]
    command += ["--verify", "--threads", "1"]
    for name in left:
        command += ["--input", f"{name}={case.inputs[name][1]}"]
    status, said = run(command)
    if status:
        verifying = "verif" in said or "differ" in said
        raise Outcome("differs" if verifying else "fails", said)
    counts = {
        int(numpy.load(os.path.join(results, file)))
        for file in os.listdir(results)
        if file.endswith(".count.npy")
    }
    for name, tensor in case.outputs:
        path = os.path.join(results, name + ".npy")
        if not os.path.exists(path):
            raise Outcome("wrong", f"no output {name}")
        compare(name, numpy.load(path), tensor, counts)
    return bool(left) or not case.inputs


def measure(folder, programs, gpus):
    scratch = tempfile.mkdtemp(prefix="onnx_plans_")
    try:
        at_run = run_case(folder, programs, gpus, scratch)
        return ("ok", "" if at_run else "all inputs bound")
    except Outcome as outcome:
        return (outcome.kind, " | ".join(outcome.message.replace(scratch, "").splitlines()))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def read_list(path):
    """Lines "case: part of the message"; "#" begins a comment."""
    listed = {}
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            case, message = line.rstrip("\n").split(": ", 1)
            listed[case] = message
    return listed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--programs", default="bazel-bin/tools")
    parser.add_argument("--progress")
    parser.add_argument("--list")
    options = parser.parse_intermixed_args()
    cases = options.cases or sorted(
        name
        for name in os.listdir(options.folder)
        if os.path.exists(os.path.join(options.folder, name, "model.onnx"))
    )
    listed = read_list(options.list) if options.list else {}
    done = {}
    if options.progress and os.path.exists(options.progress):
        for line in open(options.progress):
            case, gpus, kind, message = json.loads(line)
            done[case, gpus] = (kind, message)
    surprises = 0
    for gpus in options.gpus:
        totals, reasons, bound = collections.Counter(), collections.Counter(), 0
        for name in cases:
            if (name, gpus) not in done:
                folder = os.path.join(options.folder, name)
                done[name, gpus] = measure(folder, options.programs, gpus)
                if options.progress:
                    with open(options.progress, "a") as file:
                        file.write(json.dumps([name, gpus, *done[name, gpus]]) + "\n")
            kind, message = done[name, gpus]
            totals[kind] += 1
            bound += kind == "ok" and message != ""
            if kind != "ok":
                print(f"{gpus} GPUs: {kind} {name}: {message}", flush=True)
                reasons[kind, listed.get(name, message.rsplit(": ", 1)[-1])] += 1
            surprise = (kind != "ok") != (name in listed)
            if surprise or (kind != "ok" and listed[name] not in message):
                surprises += 1
                if options.list:
                    print(f"{gpus} GPUs: {name} is not as listed", flush=True)
        print(f"\n{gpus} GPUs, {len(cases)} cases")
        for kind, count in totals.most_common():
            print(f"  {kind:8} {count:5}")
        print(f"  of those that are ok, {bound} with all inputs known when compiled")
        for (kind, reason), count in reasons.most_common():
            print(f"  {count:5} {kind}: {reason}")
        print(flush=True)
    sys.exit(1 if options.list and surprises else 0)


if __name__ == "__main__":
    main()
