#!/usr/bin/env python3
"""Makes the folder of gpu-check: plans, what they are to give, programs, and what runs them there.

usage: tools/gpu_check/pack.py DIR --bin FOLDER [--tiny] [--cases N] [--suite N]

FOLDER is bazel-bin, or the runfiles of a test: programs are where their targets say. DIR is replaced.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "there")]
import arrays
import plans
import programs

MOST = 64 << 20
MOST_PARAMETERS = 1 << 20  # bytes of trained parameters that are packed; of more, losses alone are compared
TOOLS = {"smex-run": "tools/smex-run", "compare-npy": "tools/compare-npy", "make_graph": "examples/bench/make_graph",
         "run-cases": "tools/gpu_check/run-cases"}
# The C library and its loader are the machine's own; nothing else is taken for granted.
OF_THE_MACHINE = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}


class Failed(Exception):
    pass


def run(command, what, seconds=600, folder=None, environment=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                          cwd=folder, env=environment)
    if done.returncode:
        raise Failed(f"{what}: {' '.join(command)}\n{done.stdout[-2000:]}")
    return done.stdout


class Pack:
    def __init__(self, args, work):
        self.args, self.work = args, work
        self.failed = []  # what was to be packed, and why it is not
        self.calls = os.path.join(work, "calls")  # of libraries, as emulated runs record them
        self.unrecorded = []
        self.payload = os.path.join(work, "payload")
        os.mkdir(self.payload)

    def program(self, path):
        found = os.path.join(self.args.bin, path)
        if not os.path.exists(found):
            raise Failed(f"{found}: not there; build it")
        return found

    def copy(self, path, to):
        to = os.path.join(self.payload, to)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(path, to)
        shutil.copymode(path, to)
        os.chmod(to, 0o755)

    def libraries(self, path):
        """Shared libraries of a program, beside the machine's."""
        for line in run(["ldd", path], "ldd").splitlines():
            name, arrow, where = line.strip().partition(" => ")
            if arrow and name not in OF_THE_MACHINE:
                where = where.split(" (")[0]
                if not os.path.exists(where):
                    raise Failed(f"{path} needs {name}, which is not here")
                self.copy(where, f"lib/{name}")

    def record(self, command, name, seconds=60, folder=None):
        """Runs it over the emulated libraries, which write what they are called with and what they answer."""
        libraries = [os.path.abspath(os.path.join(self.args.bin, "test/emulated", each))
                     for each in ("cuda", "cublaslt", "cudnn")]
        try:
            run(command, name, seconds, folder, {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries),
                                                 "SMEX_EMULATED_LIBRARY_CALLS": self.calls})
        except (Failed, subprocess.TimeoutExpired):
            self.unrecorded.append(name)

    def recorded(self):
        """Packs the calls, each once; how many they are."""
        if not os.path.exists(self.calls):
            raise Failed("no emulated library was called")
        with open(self.calls) as file:
            lines = sorted(set(file))
        with open(os.path.join(self.payload, "calls"), "w") as file:
            file.writelines(lines)
        return len(lines)

    def programs(self):
        cases = programs.programs()
        for name, path in TOOLS.items():
            self.copy(self.program(path), f"bin/{name}")
            self.libraries(self.program(path))
        for each in cases:
            self.copy(self.program(each["path"]), f"cases/{each['name']}")
            if each["recorded"]:
                self.record([os.path.abspath(self.program(each["path"])), *each["arguments"]], each["name"])
            self.libraries(self.program(each["path"]))
        return [{key: each[key] for key in ("name", "library", "arguments")} for each in cases]

    def model(self, plan, work):
        if plan.file:
            return plan.file
        file = os.path.join(work, "model.json")
        if plan.model:
            run([self.program("tools/smex-zoo"), *plan.model, "-o", file], plan.name)
        else:
            with open(file, "w") as out:
                json.dump(plan.text, out)
        return file

    def expected(self, plan, folder, command, work):
        """What the run is to give: outputs or, of training, losses and parameters."""
        expected = os.path.join(folder, "expected")
        if plan.group == "bench":
            return {}
        metrics = os.path.join(work, "metrics.json")
        os.mkdir(expected)
        if not plan.train:
            if plan.outputs and os.path.isdir(plan.outputs):
                shutil.copytree(plan.outputs, expected, dirs_exist_ok=True)
            else:
                run([*command, "--output-dir", expected], plan.name)
            return {}
        parameters = os.path.join(expected, "parameters.safetensors")
        run([*command, "--save-parameters", parameters, "--metrics", metrics], plan.name)
        with open(metrics) as file:
            losses = [step["loss"] for step in json.load(file)["steps"]]
        if os.path.getsize(parameters) > MOST_PARAMETERS:
            os.remove(parameters)
        if plan.losses:
            losses = arrays.read_npy(plan.losses)[:plan.steps]
        return {"losses": losses}

    def plan(self, plan, number):
        """What is to be known of it there; none, where it may be left out."""
        folder = os.path.join(self.payload, "plans", str(number))
        os.makedirs(folder)
        try:
            with tempfile.TemporaryDirectory(dir=self.work) as work:
                to = os.path.join(folder, "plan")
                run([self.program("tools/smexc"), self.model(plan, work), *plan.options, "--gpus", str(plan.gpus),
                     "--cuda-arch", "sm_80,sm_90", "-o", to], plan.name)
                options = ["--steps", str(plan.steps)]
                here, there = [], []
                for name, path in plan.inputs.items():
                    file = os.path.join("inputs", os.path.basename(path))
                    os.makedirs(os.path.join(folder, "inputs"), exist_ok=True)
                    shutil.copyfile(path, os.path.join(folder, file))
                    here += ["--input", f"{name}={path}"]
                    there.append([name, file])
                found = self.expected(plan, folder, [self.program("tools/smex-run"), to, "--backend", "cpu", *options,
                                                     *here], work)
                if plan.group != "bench":
                    own = shutil.copytree(to, os.path.join(work, "plan"))  # choices of emulated libraries are none
                    self.record([self.program("tools/smex-run"), own, "--backend", "cuda", "--steps", "1", *here],
                                plan.name)
        except (Failed, subprocess.TimeoutExpired) as error:
            if not plan.may_fail:
                self.failed.append(f"{plan.name}: {error}")
            shutil.rmtree(folder)
            return None
        with open(os.path.join(to, "program.json")) as file:
            instructions = len(json.load(file)["instructions"])
        with open(os.path.join(to, "plan.json")) as file:
            totals = json.load(file)["totals"]
        return {"name": plan.name, "group": plan.group, "folder": f"plans/{number}", "gpus": plan.gpus,
                "steps": plan.steps, "inputs": there, "train": plan.train, "sanitize": plan.sanitize,
                "tolerance": plans.TOLERANCES[plan.type], "type": plan.type, "about": plan.about,
                "instructions": instructions, "communication_bytes": totals["communication_bytes"],
                "peak_bytes": totals["peak_bytes"], **found}

    def plans(self):
        chosen = plans.tiny(self.args.cases) if self.args.tiny else plans.full(self.args.cases)
        with ThreadPoolExecutor(self.args.jobs) as pool:
            made = list(pool.map(self.plan, chosen, range(len(chosen))))
        left = [plan.name for plan, found in zip(chosen, made) if found is None and plan.may_fail]
        return [found for found in made if found], left


    def suite(self):
        """Cases of test/conformance that ran on the processor, in folders."""
        to = os.path.join(self.payload, "suite")
        os.mkdir(to)
        groups = plans.SUITE_TINY if self.args.tiny else plans.SUITE
        try:
            run([os.path.abspath(self.program("test/conformance/conformance")), "--keep", to, "--groups", groups,
                 "--percent", str(2 if self.args.tiny else self.args.suite)], "cases of test/conformance", 3600,
                plans.ROOT)
        except (Failed, subprocess.TimeoutExpired) as error:
            self.failed.append(str(error))
        return [f"suite/{number}" for number in range(len(os.listdir(to)))]


def commit():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    return done.stdout.strip() or "unknown"


def size_of(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def write(args, payload, manifest):
    folder = os.path.abspath(args.folder)
    if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(os.path.join(folder, "gpu-check")):
        raise Failed(f"{folder}: is a folder with other things in it")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "there"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    with open(os.path.join(folder, "manifest.json"), "w") as file:
        json.dump(manifest, file, indent=1)
    # Plans of one model for several numbers of workers have much in common, and so has code for two targets.
    names = sorted(os.listdir(payload))
    for archive, some in ("suite", ["suite"]), ("payload", [name for name in names if name != "suite"]):
        with tarfile.open(os.path.join(folder, archive + ".tar.xz"), "w:xz", preset=3) as out:
            for name in some:
                out.add(os.path.join(payload, name), name)
    size = size_of(folder)
    print(f"gpu-check: {folder}: {size / 2**20:.1f} MiB, {len(manifest['plans'])} plans, "
          f"{len(manifest['suite'])} cases of test/conformance, {len(manifest['programs'])} programs of cases, "
          f"{manifest['calls']} calls of libraries")
    if size > MOST:
        shutil.rmtree(folder)
        raise Failed(f"{folder}: {size} bytes are more than {MOST}, which is what may be taken there; it was removed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--suite", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count()))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        pack = Pack(args, work)
        try:
            manifest = {"commit": commit(), "tiny": args.tiny, "programs": pack.programs()}
            manifest["suite"] = pack.suite()
            manifest["plans"], left = pack.plans()
            manifest["calls"] = pack.recorded()
            if pack.unrecorded:
                print("gpu-check: calls of emulated libraries end early, or are not recorded, for "
                      + ", ".join(pack.unrecorded))
            if left:
                print(f"gpu-check: {len(left)} left out, which are not compiled or not run without more inputs: "
                      + ", ".join(left))
            write(args, pack.payload, manifest)
        except Failed as error:
            pack.failed.append(str(error))
        for each in pack.failed:
            print(f"gpu-check: error: {each}", file=sys.stderr)
    return 1 if pack.failed else 0


if __name__ == "__main__":
    sys.exit(main())
