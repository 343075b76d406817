"""What a plan keeps in memory, and what it would without the optimizations of section 3.6 of Tofu's thesis."""

import json
import math
import os

from plans import BYTES


def volume(box):
    return 0 if box is None else math.prod(max(high - low, 0) for low, high in box)


def read_plan(plans, folder):
    with open(os.path.join(folder, "program.json"), encoding="utf-8") as file:
        return MemoryOfPlan(json.load(file), plans.workers(folder))


class MemoryOfPlan:
    """What program.json, and smexc inspect of each GPU, say of buffers and when they are used."""

    def __init__(self, program, workers):
        self.program, self.workers = program, workers
        self.instructions = self.program["instructions"]
        self.size = [BYTES[self.program["tensors"][buffer["tensor"]]["dtype"]]
                     for buffer in self.program["buffers"]]
        self.writer = {}
        for number, what in enumerate(self.instructions):
            self.writer.setdefault(what["to"], number)
        self.place = [self.places(worker) for worker in range(len(workers))]

    def places(self, worker):
        """By buffer, the first one of those that are written one over the other."""
        offset = [buffer["offset"] for buffer in self.workers[worker]["buffers"]]
        place = list(range(len(offset)))
        for what in self.instructions:
            to = what["to"]
            for operand in what.get("operands", []):
                if place[to] == to != operand and offset[operand] == offset[to] \
                        and self.bytes(worker, operand) == self.bytes(worker, to):
                    place[to] = place[operand]
        for parameter in self.program["parameters"]:
            following = parameter.get("next", -1)
            if following >= 0 and offset[following] == offset[parameter["buffer"]]:
                place[following] = parameter["buffer"]
        return place

    def pieces(self, worker, number):
        return self.workers[worker]["instructions"][number].get("pieces", [])

    def bytes(self, worker, buffer):
        return volume(self.workers[worker]["buffers"][buffer]["box"]) * self.size[buffer]

    def touched(self, number):
        """Buffers that an instruction uses on its own worker."""
        what = self.instructions[number]
        return [what["to"], *what.get("operands", []), *([what["from"]] if "from" in what else [])]

    def lifetimes(self, worker, time, place=None):
        """(first, last) by buffer, if instruction i takes place at time[i]; of those in one place, all together, by the
        first. A buffer that others read lives as if the worker read it itself."""
        place = place or self.place[worker]
        spans = {}

        def touch(buffer, when):
            first, last = spans.get(place[buffer], (when, when))
            spans[place[buffer]] = (min(first, when), max(last, when))
        for number in range(len(self.instructions)):
            for buffer in self.touched(number):
                touch(buffer, time[number])
        end = len(self.instructions)
        for port in self.program["inputs"]:
            touch(port["buffer"], -1)
        for port in self.program["outputs"]:
            touch(port["buffer"], end)
        for parameter in self.program["parameters"]:
            touch(parameter["buffer"], -1)
            touch(parameter["buffer"], end)
            if parameter.get("next", -1) >= 0:
                touch(parameter["next"], end)
        return spans

    def early(self):
        """Times at which each fetch follows what makes its source."""
        return [self.writer.get(what["from"], -1) + 0.5 if what["op"] == "fetch" else number
                for number, what in enumerate(self.instructions)]


def most_alive(plan, worker, time, more=None):
    """(bytes, instruction): the most alive at once, with `more` by instruction while that runs."""
    spans = plan.lifetimes(worker, time)
    changes = []
    for buffer, (first, last) in spans.items():
        size = plan.bytes(worker, buffer)
        changes += [(first, 0, size, None), (last, 2, -size, None)]
    for number, size in (more or {}).items():
        changes += [(time[number], 1, size, number), (time[number], 1.5, -size, number)]
    most, alive, at = 0, 0, None
    for when, _, change, _ in sorted(changes, key=lambda c: c[:2]):
        alive += change
        if alive > most:
            most, at = alive, when
    return most, at


def fetched_at(plan, worker, when):
    """Bytes from other workers that are alive then."""
    spans = plan.lifetimes(worker, range(len(plan.instructions)), range(len(plan.program["buffers"])))
    total = 0
    for number, what in enumerate(plan.instructions):
        first, last = spans.get(what["to"], (0, -1))
        if what["op"] != "compute" and first <= when <= last:
            remote = sum(volume(piece["box"]) for piece in plan.pieces(worker, number) if piece["worker"] != worker)
            total += min(remote * plan.size[what["to"]], plan.bytes(worker, what["to"]))
    return total


def reduced(plan, worker):
    """Bytes of partial sums that the worker adds up."""
    return sum(volume(piece["box"]) * plan.size[what["to"]] for number, what in enumerate(plan.instructions) if what["op"] == "reduce"
               for piece in plan.pieces(worker, number))


def unfused(plan, worker):
    """Bytes of blocks between, by instruction."""
    more = {}
    for number, what in enumerate(plan.instructions):
        if what["op"] == "compute":
            continue
        size, total = plan.size[what["to"]], 0
        for reader in range(len(plan.workers)):
            pieces = plan.pieces(reader, number)
            for piece in pieces:
                bytes_of_piece = volume(piece["box"]) * size
                if piece["worker"] == worker and bytes_of_piece != plan.bytes(worker, what["from"]):
                    total += bytes_of_piece  # split off
                if reader == worker and piece["worker"] != worker and len(pieces) > 1:
                    total += bytes_of_piece  # copied here
        if total:
            more[number] = total
    return more


def ancestors(plan, control):
    """By worker and instruction, all that comes before by data, and by control dependencies where asked for, as bits:
    number * workers + worker. What a step starts with has no writer."""
    count = len(plan.workers)
    before = [[0] * len(plan.instructions) for _ in range(count)]

    def after(buffer, worker):
        number = plan.writer.get(buffer)
        return 0 if number is None else before[worker][number] | 1 << (number * count + worker)
    for number, what in enumerate(plan.instructions):
        for worker in range(count):
            if what["op"] == "compute":
                for operand in what["operands"]:
                    before[worker][number] |= after(operand, worker)
            else:
                if control:
                    before[worker][number] |= after(what["from"], worker)
                for piece in plan.pieces(worker, number):
                    before[worker][number] |= after(what["from"], piece["worker"])
    return before


def greedy(plan, worker, before=None):
    """Bytes of blocks that are reused, best fit; `before`: only along data."""
    count = len(plan.workers)
    time = range(len(plan.instructions))
    spans = plan.lifetimes(worker, time)
    users = {}
    for number in time:
        for buffer in plan.touched(number):
            place = plan.place[worker][buffer]
            users[place] = users.get(place, 0) | 1 << (number * count + worker)
        if "from" in plan.instructions[number]:
            for reader in range(count):
                if any(piece["worker"] == worker for piece in plan.pieces(reader, number)):
                    users[plan.place[worker][plan.instructions[number]["from"]]] |= 1 << (number * count + reader)
    blocks = []  # [size, last user, users]
    for buffer, (first, last) in sorted(spans.items(), key=lambda each: each[1][0]):
        size = plan.bytes(worker, buffer)
        if size == 0:
            continue
        free = [block for block in blocks if block[1] < first and
                (before is None or not block[2] & ~before[worker][int(first)])]
        fitting = [block for block in free if block[0] >= size]
        block = min(fitting, key=lambda b: b[0]) if fitting else max(free, key=lambda b: b[0], default=None)
        if block is None:
            block = [0, 0, 0]
            blocks.append(block)
        block[:] = [max(block[0], size), last, users.get(buffer, 0)]
    return sum(block[0] for block in blocks)
