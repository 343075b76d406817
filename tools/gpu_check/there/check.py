#!/usr/bin/env python3
"""Checks smex on this machine's GPU, with nothing but what is in this folder.

usage: gpu-check [--output FOLDER] [--parts NAME,...] [--limit SECONDS] [--each SECONDS] [--jobs N]

Parts, in this order: machine, cases, models, suite, conformance, bench, sanitizer. Each has a time limit, and none stops the
others. FOLDER (gpu-check-results) gets results.txt and results.json, written as results come. PyTorch, where this Python
has it, is what the table compares with.

Exit status: 0 all checks are passed (rows of the table are no checks), 3 something differs or fails, 4 there is no GPU.
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback

STARTED = time.monotonic()  # unpacking is a part of the time, too

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import asked
import bench
import cases
import compared
import machine
import process
import report
import suite

# Seconds of each part, of 570; a part that ends early leaves its time to those after it.
PARTS = {"cases": (cases.cases, 50), "models": (compared.models, 90), "suite": (suite.suite, 60),
         "conformance": (compared.conformance, 60), "bench": (bench.bench, 220), "sanitizer": (compared.sanitizer, 80)}
GRACE = 15  # seconds after the limit, when whatever still runs is ended


class There:
    """What all parts need."""

    def __init__(self, args, work):
        self.work, self.jobs, self.each = work, args.jobs, args.each
        self.payload = os.path.join(work, "payload")
        with open(os.path.join(HERE, "manifest.json")) as file:
            self.manifest = json.load(file)
        self.libraries = os.path.join(self.payload, "lib")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=machine.library_path(self.libraries))
        self.peers, self.no_peers, self.drawing = None, "this Python has no PyTorch", None
        self.report = None

    def unpack(self, archive, seconds):
        """Why it could not be, or nothing: a child does it, for a disk may be slow."""
        os.makedirs(self.payload, exist_ok=True)
        done = process.run([sys.executable, "-m", "tarfile", "-e", os.path.join(HERE, archive), self.payload], seconds)
        # A newer C++ library serves older programs, and CUDA's libraries may need it.
        for name in "libstdc++.so.6", "libgcc_s.so.1":
            own = os.path.join(self.libraries, name)
            if os.path.exists(own) and machine.where(name, self.libraries + "/none"):
                os.remove(own)
        return done.why() if done.status != 0 else ""

    def tasks(self, plan):
        """What PyTorch is asked for beside a plan: name to request."""
        about = {key: value for key, value in plan["about"].items() if key not in ("row", "tiny")}
        ask = dict(do="step", type=plan["type"], steps=plan["steps"], **about)
        tasks = {"PyTorch": dict(ask, way="eager"), "torch.compile": dict(ask, way="compile")}
        if plan["type"] == "f32":
            tasks["TF32 PyTorch"] = dict(ask, way="eager", tf32=True)
        return tasks

    def start(self, parts):
        """What takes time beside the parts that come first: compiling by PyTorch, and drawing a graph."""
        plans = [plan for plan in self.manifest["plans"] if plan["group"] == "bench"]
        if "bench" not in parts:
            return
        if self.report.emulated:
            self.no_peers = "the device is emulated"
        elif importlib.util.find_spec("torch"):
            self.peers = asked.Peers(self.report.folder)
            self.peers.send({"do": "about"})
            for plan in plans:
                if plan["about"]["row"] == "step":
                    self.peers.send(dict(self.tasks(plan)["torch.compile"], steps=2))
        for plan in plans:
            if plan["about"]["row"] == "aggregate" and not self.drawing:
                about = plan["about"]
                self.graph_file = os.path.join(self.work, "graph.npz")
                self.drawing = process.start([os.path.join(self.payload, "bin/make_graph"), "rmat", "--skew", "0.62",
                                              "--nodes", str(about["nodes"]), "--edges", str(about["edges"]), "-o",
                                              self.graph_file], self.environment)

    def graph(self, about, seconds):
        """The drawn graph's file, once it is there."""
        try:
            status = self.drawing.wait(seconds)
        except Exception:
            raise bench.Missing("the graph was not drawn in time") from None
        if status:
            raise bench.Missing(f"make_graph ends with {status}")
        return self.graph_file

    def end(self):
        if self.peers:
            self.peers.stop()
        if self.drawing:
            process.stop(self.drawing)


def say_machine(out, found):
    out.data["machine"] = found
    for gpu in found.get("gpus", []):
        out.line(f"GPU      {gpu['name']}, sm_{gpu['major']}{gpu['minor']}, {gpu['multiprocessors']} multiprocessors")
    for line in found.get("nvidia_smi", []):
        out.line(f"         {line}")
    out.line(f"driver   {found.get('driver_version')}")
    for name, path in found["libraries"].items():
        out.line(f"{name:12} {path or 'not found'}")
    host = found["host"]
    out.line(f"host     {host['system']}, {host['cores']} cores, Python {host['python']}")
    out.save()


def say_programs(out, there):
    """Whether what was packed runs here at all: of another C library, nothing would."""
    done = process.run([os.path.join(there.payload, "bin/smex-run"), "--version"], 30, there.environment)
    out.add("machine", "smex-run starts", "fails" if done.status else "ok", done.why() if done.status else done.last(1))


def give_up(out):
    """The limit is over, and a part does not end: what is known stays."""
    process.stop_all()
    out.add("all", "the limit", "timed out", f"a part had not ended after {out.seconds():.0f} s")
    out.end()
    os._exit(3)


def check(args, there):
    found = machine.described(there.environment)
    out = there.report = report.Report(args.output, args.limit, machine.is_emulated(found), STARTED)
    out.data["commit"], out.data["tiny"] = there.manifest["commit"], there.manifest["tiny"]
    out.head("machine")
    out.line(f"smex     {there.manifest['commit']}")
    say_machine(out, found)
    if not found.get("gpus"):
        out.add("machine", "GPU", "not run", found.get("missing", "the driver knows of no GPU"))
        out.end()
        return 4
    guard = threading.Timer(max(1, out.left() + GRACE), give_up, [out])
    guard.daemon = True
    guard.start()
    why = there.unpack("payload.tar.xz", max(1, out.left()))
    if why:
        out.add("machine", "unpacking", "fails", why)
        guard.cancel()
        return out.end()
    say_programs(out, there)
    there.start(args.parts)
    for name, (part, limit) in PARTS.items():
        if name not in args.parts:
            continue
        out.head(name)
        ends = time.monotonic() + min(limit, out.left())
        # What parts before this one left, but not what those after it need.
        later = sum(each for other, (_, each) in list(PARTS.items())[list(PARTS).index(name) + 1:] if other in args.parts)
        ends = max(ends, time.monotonic() + out.left() - later)
        try:
            part(there, lambda: ends - time.monotonic())
        except Exception:
            out.add(name, "the part itself", "fails", traceback.format_exc(limit=4).strip()[-1500:])
    guard.cancel()
    return out.end()


def fast_folder():
    """Memory, where there is enough of it and programs may be there; None: wherever the system likes."""
    try:
        if shutil.disk_usage("/dev/shm").free >= 8 << 30 and not os.statvfs("/dev/shm").f_flag & os.ST_NOEXEC:
            return "/dev/shm"
    except OSError:
        pass
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default="gpu-check-results")
    parser.add_argument("--parts", default=",".join(PARTS), type=lambda text: text.split(","))
    parser.add_argument("--limit", type=float, default=570)
    parser.add_argument("--each", type=float, default=60, help="what one plan may take")
    parser.add_argument("--jobs", type=int, default=max(1, min(8, (os.cpu_count() or 1) // 2)))
    args = parser.parse_args()
    for name in args.parts:
        if name not in PARTS:
            parser.error(f"--parts: {name} is none of {', '.join(PARTS)}")
    work = tempfile.mkdtemp(prefix="gpu-check.", dir=fast_folder())
    there = There(args, work)
    try:
        return check(args, there)
    finally:
        there.end()
        # Many files: nobody waits until they are gone.
        subprocess.Popen(["rm", "-rf", work], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)


if __name__ == "__main__":
    sys.exit(main())
