"""Task graphs of training steps, which smexc emits, and their placements by `smexc place`: its emulated schedule and
its model of memory. Both are kept in a folder, for the next program."""

import filecmp
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import sensitivity
from plans import GIB, ROOT, Workplace, machine_file, powers

# --order: TensorFlow's, section 6.4.2's, and that of placed plans.
FIFO, EARLIEST, PLANNED = "first-in-first-out", "earliest-start-first", "transfer-queues"
SPARE = 0.1  # of a GPU's memory (section 5.1)
TOLD = {}  # by a task graph's file and a function: what that says of it


def add_options(parser):
    parser.add_argument("--zoo", default=os.path.join(ROOT, "bazel-bin/tools/smex-zoo"), help="smex-zoo, built")
    parser.add_argument("--smexc", default=os.path.join(ROOT, "bazel-bin/tools/smexc"), help="smexc, built")
    parser.add_argument("--machine", default="dgx-2", help="a preset of compiler/machine; default %(default)s")
    parser.add_argument("--efficiency", type=float, help="of products and convolutions, at most, instead of the machine's")
    parser.add_argument("--links", type=float, help="share of the links' rates that transfers reach; default: all")
    parser.add_argument("--spare", type=float, default=SPARE, help="share of a GPU's memory that placements leave free; default "
                        "%(default)s")
    parser.add_argument("--fuse", action="store_true", help="fused operators, which smexc places; else one by one")
    sensitivity.add_options(parser)
    parser.add_argument("--ends", action="store_true",
                        help="with --sensitivity: of each number only the smallest and the largest value that is tried")
    parser.add_argument("--plans", metavar="DIR", help="keeps graphs and results, and finds them again; default: none")


class Placed:
    """What `smexc place` says of a placement; `fits` is false where it refused, and then `why` is all there is."""

    def __init__(self, result):
        self.why = result.get("why")
        self.fits = self.why is None
        # By the clock; the processor's seconds of the search, and of the whole process, which reads the graph besides.
        self.search_seconds, self.processor_seconds = result["took"], result["processor"]
        self.search_processor_seconds = result.get("took_processor", self.processor_seconds)
        self.resident = result["resident"]
        if self.fits:
            self.seconds, self.bound = result["makespan_seconds"], result["lower_bound_seconds"]
            self.peak, self.moved = max(result["peak_bytes"]), result["moved"]


class TaskGraphs(Workplace):
    def __init__(self, options):
        super().__init__(options)
        description = machine_file(options.machine)
        self.memory_bytes = description["device"]["memory_bytes"] - description["device"].get("reserved_bytes", 0)
        self.limit = int(self.memory_bytes * (1 - options.spare))
        self.machine = self.assume(description)

    def assume(self, description):
        """The machine, or where other numbers are assumed, a file of it with those."""
        if not self.options.efficiency and not self.options.links:
            return self.options.machine
        if self.options.efficiency:
            for kind in ("contraction", "convolution"):
                description["device"]["efficiency"][kind]["most"] = self.options.efficiency
        for link in description["links"]:
            link["bytes_per_second"] *= self.options.links or 1
        path = os.path.join(self.folder, f"{description['name']}{self.assumed()}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(description, file)
        return path

    def assumed(self):
        """For names of files."""
        return getattr(self.options, "variant", "") + self.chosen()

    def chosen(self):
        """The same of what the options say, whatever else is varied."""
        return (f".at{self.options.efficiency:g}" if self.options.efficiency else "") \
            + (f".links{self.options.links:g}" if self.options.links else "")

    def name(self, network, batch, assumed=None):
        fused = ".fused" if self.options.fuse else ""
        return os.path.join(self.folder, f"{network.key}.batch{batch}{self.assumed() if assumed is None else assumed}{fused}")

    def model(self, network, batch):
        path = os.path.join(self.folder, f"{network.key}.batch{batch}.model.json")
        if not os.path.exists(path):
            self.call(self.options.zoo, *network.arguments, f"--batch={batch}", "-o", path)
        return path

    def training(self, network):
        """Options of smexc. Without history, as the thesis counts: 8 GB for 1.91 G weights (section 6.2.1)."""
        return ["--train", "--loss", network.loss, "--optimizer", "sgd", "--lr", "0.01"] \
            + ([] if self.options.fuse else ["--no-fuse"])

    def graph(self, network, batch):
        """The file of the task graph of a training step. Where another number of the machine changes nothing of it, it is a
        link to the one of the machine as it is, whose placements are found again."""
        path = self.name(network, batch) + ".tasks.json"
        if not os.path.exists(path):
            usual = self.name(network, batch, self.chosen()) + ".tasks.json"
            times = getattr(self.options, "devices", None)
            if path != usual and times is not None and os.path.exists(usual):
                with_devices(usual, times, path + ".part")
            else:
                self.emit(network, batch, path + ".part")
            if path != usual and os.path.exists(usual) and filecmp.cmp(path + ".part", usual, shallow=False):
                os.remove(path + ".part")
                os.symlink(os.path.basename(usual), path)
            else:
                os.rename(path + ".part", path)
        return os.path.realpath(path)

    def emit(self, network, batch, path):
        print(f"tasks of {network.name}, batch {batch}", file=sys.stderr)
        with open(path, "w", encoding="utf-8") as file:
            self.call(self.options.smexc, self.model(network, batch), "--gpus", 16, "--machine", self.machine,
                      "--algorithm", "pardnn", "--emit", "problem", *self.training(network), output=file)

    def read(self, network, batch):
        with open(self.graph(network, batch), encoding="utf-8") as file:
            return json.load(file)

    def told(self, function, network, batch):
        """What a function says of the task graph, which is read once in a program."""
        known = self.graph(network, batch), function
        if known not in TOLD:
            TOLD[known] = function(self.read(network, batch))
        return TOLD[known]

    def tasks(self, network, batch):
        """How many there are, parameters and inputs among them."""
        with open(self.graph(network, batch), encoding="utf-8") as file:
            return file.read().count('"time":')

    def operators(self, network, batch):
        """How many run, each a kernel; and how many stand for what is there before: parameters and inputs."""
        nodes = self.read(network, batch)["nodes"]
        runs = sum(node["time"] > 0 for node in nodes)
        return runs, len(nodes) - runs

    def as_large(self, network):
        """The network with so many layers that as many operators run as Table 5.1 has nodes, which is found by two
        depths, as each layer has as many as the other."""
        batch = min(network.batches.values())
        depths = (2, 4)
        counts = [self.operators(network.of_depth(depth), batch)[0] for depth in depths]
        layer = (counts[1] - counts[0]) / (depths[1] - depths[0])
        return network.of_depth(max(1, round(depths[0] + (network.nodes - counts[0]) / layer)))

    def place(self, network, batch, gpus, algorithm="pardnn", order=FIFO, limit=None, afresh=False):
        """`limit`: bytes of each GPU, or None. `afresh`: not one that was kept, for its seconds."""
        graph = self.graph(network, batch)
        kept = f"{graph.removesuffix('.tasks.json')}.gpus{gpus}.{algorithm}.{order}.{limit or 'unlimited'}.placed.json"
        if afresh or not os.path.exists(kept):
            result = self.run_place(graph, gpus, algorithm, order, limit, kept + ".part")
            with open(kept, "w", encoding="utf-8") as file:
                json.dump(result, file)
        with open(kept, encoding="utf-8") as file:
            return Placed(json.load(file))

    def run_place(self, graph, gpus, algorithm, order, limit, output):
        command = [self.options.smexc, "place", graph, "--gpus", str(gpus), "--algorithm", algorithm, "--order", order,
                   "-o", output] + (["--memory-per-gpu", str(limit)] if limit else [])
        with tempfile.TemporaryFile("w+") as says, tempfile.TemporaryFile("w+") as errors:
            began = time.monotonic()
            process = subprocess.Popen(command, stdout=says, stderr=errors)
            # Of this process alone, which is why it is not waited for by subprocess.
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            whole = time.monotonic() - began
            says.seek(0)
            errors.seek(0)
            text, why = says.read(), errors.read().strip()
        used = {"resident": usage.ru_maxrss * 1024, "processor": usage.ru_utime + usage.ru_stime}
        if process.returncode == 1 and is_for_want_of_memory(why):
            return {"why": why, "took": whole, **used}
        self.ended(command, process.returncode, why)
        with open(output, encoding="utf-8") as file:
            result = json.load(file)
        os.remove(output)
        del result["nodes"]
        took = re.search(r"^took +([0-9.e+-]+) s, ([0-9.e+-]+) s of the processor", text, re.MULTILINE)
        result["took"], result["took_processor"] = map(float, took.groups())
        result.update(used)
        return result

    def compile(self, network, batch, gpus, algorithm="pardnn"):
        """The compiler's own plan, simulated on the machine: (seconds, peak bytes of the fullest GPU), or None where
        it is refused, as no placement within the memory was found."""
        folder = f"{self.name(network, batch)}.gpus{gpus}.{algorithm}.plan"
        result = folder + ".result.json"
        if not os.path.exists(result):
            print(f"compiling {network.name}, batch {batch}, for {gpus}", file=sys.stderr)
            command = [self.options.smexc, self.model(network, batch), "--gpus", str(gpus), "--machine", self.machine,
                       "--memory-per-gpu", str(self.limit), "--algorithm", algorithm, "--cuda-arch", "none",
                       *self.training(network), "-o", folder]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 1 and is_for_want_of_memory(done.stderr):
                return None
            self.ended(command, done.returncode, done.stderr)
            self.call(self.options.smexc, "simulate", folder, "--machine", self.machine, "--json", result)
        with open(result, encoding="utf-8") as file:
            simulated = json.load(file)
        return simulated["step_seconds"], max(gpu["peak_bytes"] for gpu in simulated["gpus"])

    def both(self, network, batch, gpus):
        """A line: a plan simulated, and what `smexc place` says of its placement."""
        line = f"{network.name:12} K={gpus:<3} batch {batch:<5}"
        compiled = self.compile(network, batch, gpus)
        line += "  plan refused" if compiled is None else f"  plan {compiled[0] * 1e3:.4g} ms, {gib(compiled[1])} GiB"
        placed = self.place(network, batch, gpus, order=PLANNED, limit=self.limit)
        return line + (f"; placed {placed.seconds * 1e3:.4g} ms, {gib(placed.peak)} GiB" if placed.fits else "; OOM")

    def largest_placed(self, network, gpus, most):
        """(placed, batch) at the largest power of two, up to `most`, that keeps the limit, where a smaller one need not;
        (None, 0) if none does."""
        for batch in reversed(powers(1, most)):
            placed = self.place(network, batch, gpus, order=FIFO, limit=self.limit)
            if placed.fits:
                return placed, batch
        return None, 0

    def largest_batch(self, network, gpus, most, algorithm="pardnn", order=PLANNED, near=None):
        """The largest power of two, up to `most`, that keeps the limit, by bisection; 0 if not even 1 does. `near`: one that
        is likely to be it."""
        def fits(exponent):
            return self.place(network, 2**exponent, gpus, algorithm, order, self.limit).fits
        return largest_fitting(fits, most.bit_length() - 1, None if near is None else near.bit_length() - 1)


def is_for_want_of_memory(why):
    """What smexc refuses for: no room for one task, for all that stays, or by any placement; or a plan over its limit."""
    return any(re.search(pattern, why) for pattern in (
        r" needs? \d+ bytes\b.*, and (a GPU has|\d+ GPUs have) \d+", r"no placement by \S+ needs at most \d+ bytes",
        r": gpu\d+ needs .*, more than "))


def with_devices(path, times, output):
    """A copy of a task graph whose devices have other numbers: so many times those that they have."""
    with open(path, encoding="utf-8") as file:
        head, rest = file.read().split("}", 1)  # devices come first
    begin, devices = head.split('"devices":')
    devices = {key: value * times.get(key, 1) for key, value in json.loads(devices + "}").items()}
    with open(output, "w", encoding="utf-8") as file:
        file.write(f'{begin}"devices": {json.dumps(devices)}{rest}' if times else f'{head}}}{rest}')


def largest_fitting(fits, most, near=None):
    """2 to the largest exponent of 0 .. most that fits, where all smaller ones do, too; 0 if none does. `near`: an exponent to
    begin with, or -1."""
    low, high = -1, most  # low fits, or is none
    for probe in () if near is None else (near, near + 1, near - 1):
        if low < probe <= high:
            if fits(probe):
                low = probe
            else:
                high = probe - 1
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return 2**low if low >= 0 else 0


def gib(size):
    return f"{size / GIB:.1f}"
