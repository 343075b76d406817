"""Figures 3.8 and 3.9 of Tofu's thesis: a row of every system for each model."""

from alternatives import Placement, Step, swapping
from plans import percent, powers


class Link:
    """What the alternatives need of the machine: host bytes per second of one GPU when all use it, and peers."""

    HOST = 10e9 / 8
    PEER, LATENCY = 21e9, 2e-5


def place(plans, model):
    """A layer per GPU in turn, with the largest batch that fits: (samples/s, batch), or None."""
    plan = plans.placed(model)
    return (plan.throughput, plan.batch) if plan else None


def place_keeping(plans, model):
    """The same as TensorFlow does it, modelled: gradients of a weight are kept until they are added up."""
    largest, *others, smallest = reversed(powers(16, model.ideal_batch))
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
    plan = plans.make(model, batch, 1)
    placed = Placement(Step(plans, plan), 8, Link.PEER, Link.LATENCY)
    return placed, placed.peak <= plan.result["gpus"][0]["memory_bytes"]


def swap(plans, model):
    """With the largest batch of which every instruction fits, as the paper has it: (samples/s, batch), or None."""
    for batch in reversed(powers(1, model.ideal_batch)):
        plan = plans.make(model, batch, 1)
        seconds = swapping(Step(plans, plan).as_ready(), plan.result["gpus"][0]["memory_bytes"], Link.HOST)
        if seconds:
            return 8 * batch / seconds, batch
    return None


class Row:
    def __init__(self, plans, model, with_placement):
        self.model = model
        self.ideal = plans.ideal(model).throughput
        tofu = plans.tofu(model)
        self.tofu = (tofu.throughput, tofu.batch) if tofu else None
        self.hidden = tofu.batch / plans.without_copies(tofu) if tofu else None
        small = plans.small_batch(model)
        self.small = (small.throughput, small.batch) if small else None
        self.swap = swap(plans, model)
        self.place = place(plans, model) if with_placement else None

    def of_ideal(self, found):
        return found[0] / self.ideal if found else 0

    def of_tofu(self, found):
        return found[0] / self.tofu[0] if found and self.tofu else 0


def print_rows(rows, with_placement):
    names = ["Tofu", "copies hidden", "small batch", "swapping"] + (["placement"] if with_placement else [])
    print("samples/s, of ideal, (batch); out of memory: OOM")
    print(f"{'':15} {'ideal':>7}" + "".join(f"{name:>21}" for name in names))
    for row in rows:
        found = [row.tofu, (row.hidden, row.tofu[1]) if row.tofu else None, row.small, row.swap]
        found += [row.place] if with_placement else []
        cells = [f"{f[0]:.3g} {percent(row.of_ideal(f)):>5} ({f[1]})" if f else "OOM" for f in found]
        print(f"{row.model.name:15} {row.ideal:7.3g}" + "".join(f"{cell:>21}" for cell in cells))
    print("copies hidden: Tofu's plan if no copy took time, which no order of it can beat.")


def run(plans, models, with_placement):
    rows = []
    for model in models:
        rows.append(Row(plans, model, with_placement))
    print_rows(rows, with_placement)
    return rows
