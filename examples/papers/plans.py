"""Plans of the papers' models, made by smex-zoo and smexc and kept in a folder, and their simulation."""

import functools
import json
import os
import subprocess
import sys
import tempfile

# Bytes of an element, by the name that a program of a plan has for its type.
BYTES = {"f64": 8, "i64": 8, "u64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1,
         "bool": 1}
# The algorithm that the paper calls Tofu, and what smexc takes if it is not told: what is beside it as ours.
TOFU, OURS = "tofu", "recursive"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GIB = 2**30


def add_zoo_option(parser):
    parser.add_argument("--zoo", default=os.path.join(ROOT, "bazel-bin/tools/smex-zoo"), help="smex-zoo, built")


def add_options(parser, algorithm=None):
    """`algorithm`: the default of --algorithm."""
    add_zoo_option(parser)
    parser.add_argument("--smexc", default=os.path.join(ROOT, "bazel-bin/tools/smexc"), help="smexc, built")
    parser.add_argument("--machine", default="p2.8xlarge", help="as for smexc simulate; default %(default)s")
    parser.add_argument("--algorithm", default=algorithm, help="of smexc, for the plans of 8 GPUs; default: "
                        f"{algorithm or 'smexc' + chr(39) + 's own'}")
    parser.add_argument("--plans", metavar="DIR", help="keeps plans, and finds them again; default: a temporary folder")


def add_search_options(parser):
    parser.add_argument("--search", default=os.path.join(ROOT, "bazel-bin/examples/bench/search"), help="the search, built")


def search(options, model, batch, gpus, algorithms, *more):
    """What examples/bench/search says of each algorithm on a model's training graph, by name. `more`: options of it."""
    for program in (options.zoo, options.search):
        if not os.path.exists(program):
            sys.exit(f"{sys.argv[0]}: error: {program}: not there; bazel build //tools:smex-zoo //examples/bench:search")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        subprocess.run([options.zoo, *model.arguments, f"--batch={batch}", "-o", path], check=True, stdout=subprocess.DEVNULL)
        chosen = [word for name in algorithms for word in ("--algorithm", name)]
        out = subprocess.run([options.search, "--gpus", str(gpus), *more, *chosen, path], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    return {row["algorithm"]: row for row in map(json.loads, out.splitlines())}


def steps_of(row):
    """How a search, of which it is what `search` says, decided its steps, in words."""
    together = {"": "", "graph": "all at once, exactly", "coarsened": "all at once, exactly, coarsened"}[row["all_steps_together"]]
    if row["algorithm"] in ("flat", "flat-coarsened", "icml18", "icml18-reduction"):
        return together.removesuffix(", coarsened") or "all at once, bounded"
    return f"also {together}" if together else "one by one" if len(row["steps"]) > 1 else "one"


class Model:
    """A model of smex-zoo at a size, all but its batch."""

    def __init__(self, name, arguments, loss, ideal_batch, tofu_batch):
        self.name, self.arguments, self.loss = name, arguments, loss
        self.ideal_batch, self.tofu_batch = ideal_batch, tofu_batch  # the second is the paper's or a guess


def rnn(layers, hidden):
    """hidden in units of 1024, as the paper has it."""
    arguments = ["rnn", f"--layers={layers}", f"--hidden={int(hidden * 1024)}"]
    return Model(f"RNN-{layers}-{hidden:g}K", arguments, "mse", 512, 128 if (layers, hidden) == (10, 8) else 512)


def wresnet(depth, width):
    arguments = ["wresnet", f"--depth={depth}", f"--width={width}"]
    return Model(f"WResNet-{depth}-{width}", arguments, "cross_entropy", 128,
                 {(50, 4): 128, (152, 4): 32, (152, 10): 8}.get((depth, width), 32))


class Plan:
    """A training plan, simulated when it is asked what it takes. `fits`: whether it does, where that is known."""

    def __init__(self, folder, batch, simulate, fits=None):
        self.folder, self.batch = folder, batch
        self.simulate, self.known_to_fit = simulate, fits

    @functools.cached_property
    def result(self):
        return self.simulate(self.folder)

    @property
    def seconds(self):
        return self.result["step_seconds"]

    @property
    def peak(self):
        return max(gpu["peak_bytes"] for gpu in self.result["gpus"])

    @property
    def moved(self):
        """Bytes that cross between GPUs in a step."""
        with open(os.path.join(self.folder, "plan.json"), encoding="utf-8") as file:
            return json.load(file)["totals"]["communication_bytes"]

    @property
    def fits(self):
        return not self.result["out_of_memory"] if self.known_to_fit is None else self.known_to_fit

    @property
    def throughput(self):
        # One GPU, times 8, is what the paper takes for 8 without communication.
        return self.batch / self.seconds * 8 / len(self.result["gpus"])


def machine_file(name):
    """What a machine file says, or the file of a preset."""
    preset = os.path.join(ROOT, "compiler/machine/presets", name + ".json")
    with open(preset if os.path.exists(preset) else name, encoding="utf-8") as file:
        return json.load(file)


class Workplace:
    """The programs that make plans, and the folder that keeps what they write."""

    def __init__(self, options):
        self.options = options
        for program in (options.zoo, options.smexc):
            if not os.path.exists(program):
                sys.exit(f"{sys.argv[0]}: error: {program}: not there; bazel build //tools:smexc //tools:smex-zoo")
        self.temporary = None if options.plans else tempfile.TemporaryDirectory()
        self.folder = options.plans or self.temporary.name
        os.makedirs(self.folder, exist_ok=True)

    def call(self, *command, output=subprocess.DEVNULL):
        done = subprocess.run([str(part) for part in command], stdout=output, stderr=subprocess.PIPE, text=True)
        self.ended(command, done.returncode, done.stderr)

    def ended(self, command, status, errors):
        """Ends the program, too, where a command has failed."""
        if status:
            sys.exit(f"{sys.argv[0]}: error: {' '.join(map(str, command))}: status {status}: {errors.strip()}")


class Plans(Workplace):
    def __init__(self, options, fitting=None):
        """`fitting`: others of a machine with the same memory, which have found out what fits; of the same machine, all that
        they know is so here, too."""
        super().__init__(options)
        alike = fitting and fitting.options.machine == options.machine
        self.known = fitting.known if alike else {}
        self.simulated = fitting.simulated if alike else {}  # by folder and options
        self.fitting = fitting.known if fitting else {}

    def workers(self, folder):
        """Of each GPU of a plan its regions, places, pieces and waits."""
        listed = subprocess.run([self.options.smexc, "inspect", folder, "--json"], capture_output=True, check=True)
        return json.loads(listed.stdout)

    def make(self, model, batch, gpus, algorithm=None):
        algorithm = algorithm or (self.options.algorithm if gpus > 1 else None)
        name = f"{model.name}.batch{batch}.gpus{gpus}" + (f".{algorithm}" if algorithm else "")
        if name in self.known:
            return self.known[name]
        folder = os.path.join(self.folder, name)
        if not os.path.exists(folder):
            print(f"compiling {model.name}, batch {batch}, for {gpus}", file=sys.stderr)
            json_file = folder + ".json"
            self.call(self.options.zoo, *model.arguments, f"--batch={batch}", "-o", json_file)
            chosen = ["--algorithm", algorithm] if algorithm else []
            self.call(self.options.smexc, json_file, "--train", "--loss", model.loss, "--optimizer", "adagrad",
                      "--lr", "0.01", "--gpus", gpus, *chosen, "-o", folder)
            os.remove(json_file)
        fits = self.fitting[name].fits if name in self.fitting else None
        self.known[name] = Plan(folder, batch, self.simulate, fits)
        return self.known[name]

    def simulate(self, folder, *more):
        if (folder, more) in self.simulated:
            return self.simulated[folder, more]
        result = folder + (".more" if more else "") + ".result.json"
        self.call(self.options.smexc, "simulate", folder, "--machine", self.options.machine, "--json", result, *more)
        with open(result, encoding="utf-8") as file:
            self.simulated[folder, more] = json.load(file)
        return self.simulated[folder, more]

    def without_copies(self, plan):
        """Seconds of computing alone."""
        return self.simulate(plan.folder, "--skip-copies")["step_seconds"]

    def in_order(self, plan):
        """Seconds where each GPU does one instruction after the other: no transfer is hidden."""
        return self.simulate(plan.folder, "--in-order")["step_seconds"]

    def largest(self, model, gpus, batches, guess, algorithm=None):
        """The plan of the largest of the batches, in ascending order, that fits; None if none does. Goes up or down
        from the guess, since plans take long to make."""
        at = batches.index(guess)
        plan = self.make(model, batches[at], gpus, algorithm)
        if not plan.fits:
            fitting = (self.make(model, batch, gpus, algorithm) for batch in reversed(batches[:at]))
            return next((smaller for smaller in fitting if smaller.fits), None)
        for batch in batches[at + 1:]:
            larger = self.make(model, batch, gpus, algorithm)
            if not larger.fits:
                break
            plan = larger
        return plan

    def ideal(self, model):
        """One GPU with memory without end, times 8."""
        return self.make(model, model.ideal_batch, 1)

    def tofu(self, model, algorithm=None):
        """Of --algorithm, or of another one."""
        return self.largest(model, 8, powers(1, model.ideal_batch), model.tofu_batch, algorithm)

    def placed(self, model, least):
        """Layer i on GPU i mod 8, at batches of `least` and more."""
        return self.largest(model, 8, powers(least, model.ideal_batch), model.ideal_batch, "layer-wise")

    def small_batch(self, model):
        smallest = self.make(model, 1, 1)
        if not smallest.fits:
            return None
        return self.largest(model, 1, powers(1, model.ideal_batch), model.ideal_batch // 8)


def powers(lo, hi):
    batches = [lo]
    while batches[-1] * 2 <= hi:
        batches.append(batches[-1] * 2)
    return batches


class Statements:
    """What the paper says in prose, and whether it holds here."""

    def __init__(self):
        self.failed = 0
        self.lines = []
        self.verdicts = {}  # by what the paper says: whether it holds, and ours

    def add(self, paper, ours, holds, why="", within=""):
        """`why`: printed where the statement does not hold. `within`: its tolerance, in words."""
        verdict = "holds" if holds else "DIFFERS"
        self.failed += not holds
        self.verdicts[paper] = bool(holds), str(ours)
        self.lines.append(f"  {verdict:8} {paper}{f' ({within})' if within else ''}: ours {ours}"
                          + (f"\n           why: {why}" if why and not holds else ""))

    def compare(self, paper, ours, value, tolerance, form="{:.0%}", least=False, why="", within="a tolerance of ours"):
        """A statement that holds where a value is at most (`least`: at least) its tolerance; `within`: whose that is. Says for
        which tolerances it holds, which is what the verdict depends on."""
        bound, holds = ("at least", "up to {}") if least else ("at most", "from {} on")
        self.add(paper, ours, value >= tolerance if least else value <= tolerance, why,
                 f"{bound} {form.format(tolerance)}, {within}; holds {holds.format(form.format(value))}")

    def print(self):
        print("\nWhat the paper says:")
        print("\n".join(self.lines))
        return 3 if self.failed else 0


# The tolerance of a share that the text gives as a whole percent.
PERCENTS = "whole percents"


def between(shares, low, high):
    """Whether shares are within these, all to a whole percent, as the text has them."""
    return all(round(100 * low) <= round(100 * share) <= round(100 * high) for share in shares)


def percent(value):
    return "n/a" if value is None else f"{round(value * 100)} %"


def percents(values):
    values = list(values)
    return f"{percent(min(values))} to {percent(max(values))}" if values else "none"
