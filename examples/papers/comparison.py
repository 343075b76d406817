"""Figures 3.8 and 3.9 of Tofu's thesis: a row of every system for each model."""

from alternatives import LOOK_AHEAD, Placement, Step, swapped
from plans import OURS, PERCENTS, TOFU, between, machine_file, percent, percents, powers

# Operator placement at smaller batches was not tried: a GPU would have next to nothing to do.
LEAST_BATCH = 16
# Few samples, of which the text says that convolutions use a GPU well, and products do not.
FEW = 16
# Tolerances of ours: what "well" is, "most", "all the time", and "imbalanced".
WELL, MOST, ALWAYS, UNEVEN = 0.9, 0.5, 0.95, 0.1


class Machine:
    """What the alternatives need of a machine, by its file: bytes per second of one GPU to the host when all use it, to a
    peer and to memory, and seconds of latency and of a launch."""

    def __init__(self, name):
        described = machine_file(name)
        device, gpus = described["device"], [n["name"] for n in described["nodes"] if n["kind"] == "gpu"]
        hosts = [n["name"] for n in described["nodes"] if n["kind"] == "host"]
        of_gpu = next(link for link in described["links"] if gpus[0] in link["between"])
        of_host = next(link for link in described["links"] if set(hosts) & set(link["between"]))
        self.host = of_host["bytes_per_second"] / len(gpus)
        # To a peer, a copy goes by a switch.
        self.peer, self.latency = of_gpu["bytes_per_second"], 2 * of_gpu["latency_seconds"]
        self.memory = device["memory_bandwidth"] * device["efficiency"]["memory"]
        self.launch = device["launch_seconds"]


def place(plans, model):
    """A layer per GPU in turn, with the largest batch that fits: (samples/s, batch), or None."""
    plan = plans.placed(model, plans.options.least_batch)
    return (plan.throughput, plan.batch) if plan else None


def place_keeping(plans, model):
    """The same as TensorFlow does it, modelled: gradients of a weight are kept until they are added up."""
    largest, *others, smallest = reversed(powers(plans.options.least_batch, model.ideal_batch))
    # Most often all fit, or none does.
    placed, fits = place_batch(plans, model, largest)
    if fits:
        return largest / placed.seconds, largest
    last, fits = place_batch(plans, model, smallest)
    if not fits:
        return None
    for batch in others:
        placed, fits = place_batch(plans, model, batch)
        if fits:
            return batch / placed.seconds, batch
    return smallest / last.seconds, smallest


def place_batch(plans, model, batch):
    plan, machine = plans.make(model, batch, 1), Machine(plans.options.machine)
    step = Step(plans, plan).keep_summands(lambda size: machine.launch + size / machine.memory)
    placed = Placement(step, 8, machine.peer, machine.latency)
    return placed, placed.peak <= plan.result["gpus"][0]["memory_bytes"]


def swap(plans, model):
    """With the largest batch of which every instruction fits, as the paper has it: (samples/s, batch, bytes that cross per sample, the part of a step
    in which the link to the host is busy), or None."""
    for batch in reversed(powers(1, model.ideal_batch)):
        plan = plans.make(model, batch, 1)
        step = Step(plans, plan)
        if plans.options.order == "ready":
            step.as_ready()
        host = Machine(plans.options.machine).host
        found = swapped(step, plan.result["gpus"][0]["memory_bytes"], host, plans.options.look_ahead)
        if found:
            seconds, moved = found
            return 8 * batch / seconds, batch, moved / batch, moved / host / seconds
    return None


def moved_by_layer(plans, model, batch):
    """Bytes per sample that cross where swapping runs a plan's order, a layer at a time."""
    plan = plans.make(model, batch, 1)
    found = swapped(Step(plans, plan), plan.result["gpus"][0]["memory_bytes"], Machine(plans.options.machine).host,
                    plans.options.look_ahead)
    return found and found[1] / batch


def busy(plan):
    """Of a plan, the part of a step in which each GPU computes."""
    return [gpu["compute_seconds"] / plan.seconds for gpu in plan.result["gpus"]] if plan else None


class Row:
    def __init__(self, plans, model, with_placement):
        self.model = model
        self.ideal = plans.ideal(model).throughput
        tofu, ours = plans.tofu(model), plans.tofu(model, OURS)
        self.tofu = (tofu.throughput, tofu.batch) if tofu else None
        self.ours = (ours.throughput, ours.batch) if ours else None
        self.moved = tofu.moved / tofu.batch if tofu else None  # bytes per sample
        self.hidden = tofu.batch / plans.without_copies(tofu) if tofu else None
        small = plans.small_batch(model)
        self.small = (small.throughput, small.batch) if small else None
        self.swap = swap(plans, model)
        self.place = place(plans, model) if with_placement else None
        self.few = plans.make(model, FEW, 1).throughput
        self.alike = plans.make(model, tofu.batch, 1).throughput if tofu else None  # ideal, at Tofu's batch
        self.tofu_busy = busy(tofu)
        self.placed_busy = busy(plans.placed(model, plans.options.least_batch)) if with_placement else None
        self.by_layer = moved_by_layer(plans, model, self.swap[1]) if with_placement and self.swap else None

    def of_ideal(self, found):
        return found[0] / self.ideal if found else 0

    def of_tofu(self, found):
        return found[0] / self.tofu[0] if found and self.tofu else 0


def state_ahead(says, rows):
    """The introduction's headline, of ways to train what one GPU does not hold: small batch is none."""
    ahead = [row.tofu[0] / found[0] - 1 for row in rows for found in (row.swap, row.place) if row.tofu and found]
    says.add("Tofu is 25 to 400 % ahead of other ways to train large models", percents(ahead),
             bool(ahead) and between(ahead, 0.25, 4), "placement is nearer to Tofu where there are as many layers as GPUs; "
             "swapping is further behind where weights are large", f"swapping and placement, where they run; {PERCENTS}")


def state_swapping(says, rows):
    """Why swapping is slower (3.7.2)."""
    found = [row for row in rows if row.swap and row.tofu]
    if found:
        more = min(row.swap[2] / row.moved for row in found)
        says.compare("swapping moves much more than Tofu", f"at least {more:.1f} times as much, per sample", more, 2, "{:.1f} times", True)
        busy = min(row.swap[3] for row in found)
        says.compare("the link to the host is what swapping waits for", f"busy in at least {busy:.0%} of a step", busy, 0.9, least=True)


def state_few(says, rows, kind, well):
    """What few samples leave of a GPU (3.7.2). `well`: whether the text says that they use it well."""
    shares = [row.few / row.ideal for row in rows]
    says.compare(f"{kind} {'have good GPU utilization even for small batches' if well else 'use a GPU less with small batches'}",
                 f"{percents(shares)} of ideal at a batch of {FEW}", min(shares) if well else max(shares), WELL, least=well,
                 why="" if well else "the model of a product's efficiency, by its flops alone, is too kind")


def state_gap(says, row):
    """Why a model is furthest from ideal (3.7.2): what of the gap one GPU has, too, at Tofu's batch."""
    gap = 1 - row.of_ideal(row.tofu)
    if gap > 0:
        part = (1 - row.alike / row.ideal) / gap
        says.compare(f"{row.model.name} is so far from ideal because ideal's batch is larger", f"{part:.0%} of the gap is there "
                     f"without copies at a batch of {row.tofu[1]}", part, MOST, least=True,
                     why="a kernel of few samples is nearly as good in the model; the rest are copies")


def state_load(says, rows):
    """Why placement is slower (3.7.2): layers are not as many as GPUs, and a pipeline fills and drains."""
    placed = [row for row in rows if row.placed_busy]
    uneven = [max(row.placed_busy) * len(row.placed_busy) / sum(row.placed_busy) - 1 for row in placed
              if int(row.model.name.split("-")[1]) % len(row.placed_busy)]
    if uneven:
        says.compare("placement's load is imbalanced where layers are no multiple of GPUs", "the fullest GPU computes at least "
                     f"{min(uneven):.0%} more than the mean", min(uneven), UNEVEN, least=True)
    if placed:
        most = max(max(row.placed_busy) for row in placed)
        says.compare("a pipeline of layers cannot fully saturate GPUs", f"the busiest one computes in at most {most:.0%} of a step",
                     most, ALWAYS)
    least = min(min(row.tofu_busy) for row in rows)
    says.compare("Tofu keeps all GPUs busy at all times", f"each computes in at least {least:.0%} of a step", least, ALWAYS,
                 least=True, why="one fetch that nothing hides, where memory is at its peak")


def state_mesh(says, rows, weights, large):
    """Why swapping is slow on RNNs (3.7.2): in the order in which operators become ready, many tensors are in use, and the more
    so, the larger weights are. `weights`: of a row, in proportion; `large`: whether they are."""
    found = [row for row in rows if row.swap]
    more = [row.swap[2] / row.by_layer for row in found if large(row) and row.by_layer]
    if more:
        says.add("a mesh of layers and timesteps has more tensors in use at once: swapping moves more", f"{min(more):.1f} to "
                 f"{max(more):.1f} times what it does a layer at a time", min(more) > 1, "the order is a plan's already",
                 "the order alone, where weights are large")
    found = [row for row in found if row.swap[2]]  # what fits moves nothing
    if len(found) > 1:
        least, most = min(found, key=weights), max(found, key=weights)
        growth, of_weights = most.swap[2] / least.swap[2], weights(most) / weights(least)
        says.compare("swapping increases significantly when weights are large", f"{growth:.1f} times the bytes per sample on "
                     f"{most.model.name}, of {least.model.name}, whose weights are {1 / of_weights:.2f} of them",
                     growth / of_weights, 1, "{:.2f} of what weights grow by", True)


def add_placement_options(parser):
    parser.add_argument("--least-batch", type=int, default=LEAST_BATCH, help="that placement is tried with; default "
                        "%(default)s")


def add_options(parser):
    add_placement_options(parser)
    parser.add_argument("--look-ahead", type=int, default=LOOK_AHEAD, help="instructions that swapping keeps the blocks of "
                        "and fetches early; default %(default)s")
    parser.add_argument("--order", choices=["ready", "plan"], default="ready", help="of what swapping runs: as instructions "
                        "become ready, or a plan's, a layer at a time; default %(default)s")


def print_rows(rows, with_placement, show):
    names = ["Tofu", "smexc's own", "copies hidden", "small batch", "swapping"] + (["placement"] if with_placement else [])
    show("samples/s, of ideal, (batch); out of memory: OOM")
    show(f"{'':15} {'ideal':>7}" + "".join(f"{name:>21}" for name in names))
    for row in rows:
        found = [row.tofu, row.ours, (row.hidden, row.tofu[1]) if row.tofu else None, row.small, row.swap]
        found += [row.place] if with_placement else []
        cells = [f"{f[0]:.3g} {percent(row.of_ideal(f)):>5} ({f[1]})" if f else "OOM" for f in found]
        show(f"{row.model.name:15} {row.ideal:7.3g}" + "".join(f"{cell:>21}" for cell in cells))
    show(f"Tofu: --algorithm {TOFU}, which is the paper's; smexc's own: its default, {OURS}")
    show("copies hidden: Tofu's plan if no copy took time, which no order of it can beat.")


def run(plans, models, with_placement, show):
    rows = [Row(plans, model, with_placement) for model in models]
    print_rows(rows, with_placement, show)
    return rows
