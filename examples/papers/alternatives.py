"""The alternatives that Tofu's thesis compares with (section 3.7.1), modelled on a plan for one GPU: swapping to host
memory, and operator placement by layers. Durations are those of smexc simulate; so is the machine."""

import heapq
import json
import re

from plans import BYTES

# How many instructions ahead swapping looks: blocks that the next ones use are not swapped out, and are fetched early.
LOOK_AHEAD = 16


def adds_alone(kernel):
    """Whether all that a kernel does is to add up its operands, place by place."""
    _, _, body = kernel.get("lambda", "").rpartition(": ")
    terms = [re.fullmatch(r"x\d+(\[[^\[\]]*\])", term) for term in body.split(" + ")]
    return len(terms) > 1 and all(terms) and len({term.group(1) for term in terms}) == 1


class Step:
    """The instructions of a plan for one GPU: seconds, buffers read and written."""

    def __init__(self, plans, plan):
        trace = plan.folder + ".trace.json"
        plans.simulate(plan.folder, "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            seconds = {e["args"]["instruction"]: e["dur"] / 1e6 for e in json.load(file)["traceEvents"] if e["ph"] == "X"}
        with open(plan.folder + "/program.json", encoding="utf-8") as file:
            program = json.load(file)
        worker = plans.workers(plan.folder)[0]
        self.batch = plan.batch
        self.bytes, self.offset = [], []
        for buffer, own in zip(program["buffers"], worker["buffers"]):
            size = BYTES[program["tensors"][buffer["tensor"]]["dtype"]]
            for lo, hi in own["box"] or [(0, 0)]:
                size *= max(hi - lo, 0)
            self.bytes.append(size)
            self.offset.append(own["offset"])
        self.instructions = []  # (node, seconds, buffers read, buffer written)
        for number, what in enumerate(program["instructions"]):
            read = what.get("operands", []) + ([what["from"]] if "from" in what else [])
            self.instructions.append((what["node"], seconds.get(number, 0), sorted(set(read)), what["to"]))
        self.adds = [adds_alone(program["kernels"][what["kernel"]]) if "kernel" in what else False
                     for what in program["instructions"]]
        self.kept = set()
        self.parameters = {p["buffer"]: p.get("next", -1) for p in program["parameters"]}
        self.inputs = [p["buffer"] for p in program["inputs"]]
        self.find_last_uses()

    def find_last_uses(self):
        self.last_use = {}
        for number, (_, _, read, to) in enumerate(self.instructions):
            for buffer in (*read, to):
                self.last_use[buffer] = number

    def keep_summands(self, seconds_of_bytes):
        """Sums as TensorFlow adds them up: summands are all kept, each in memory of its own, and so is what one more pass
        makes of them, which reads all and writes one (a plan adds each to the ones before, in their place).
        `seconds_of_bytes`: what such a pass takes."""
        readers = {}
        for number, (_, _, read, _) in enumerate(self.instructions):
            for buffer in read:
                readers.setdefault(buffer, []).append(number)
        summands, kept = {}, []  # of a sum that only another sum reads
        for number, (node, seconds, read, to) in enumerate(self.instructions):
            if self.adds[number]:
                read = [each for buffer in read for each in summands.get(buffer, [buffer])]
                following = readers.get(to, [])
                if len(following) == 1 and self.adds[following[0]]:
                    summands[to] = read
                    continue
                seconds = seconds_of_bytes(sum(self.bytes[buffer] for buffer in (*read, to)))
                self.kept.add(to)
            kept.append((node, seconds, read, to))
        self.adds = [to in self.kept for *_, to in kept]
        self.instructions = kept
        self.find_last_uses()
        return self

    def as_ready(self):
        """Reorders: first what was ready first. So frameworks schedule, and go through an RNN's mesh of layers and
        timesteps along its diagonal, where a plan finishes a layer first."""
        producer = {to: number for number, (*_, to) in enumerate(self.instructions)}
        readers, missing = {}, []
        for number, (_, _, read, _) in enumerate(self.instructions):
            needed = [b for b in read if producer.get(b, number) < number]
            missing.append(len(needed))
            for buffer in needed:
                readers.setdefault(buffer, []).append(number)
        order = [number for number, count in enumerate(missing) if count == 0]
        for number in order:  # grows
            for reader in readers.get(self.instructions[number][3], []):
                missing[reader] -= 1
                if missing[reader] == 0:
                    order.append(reader)
        self.instructions = [self.instructions[number] for number in order]
        self.find_last_uses()
        return self

    def blocks(self):
        """Buffers that take the place of one another, in place, are one block: the number of each one's block. Sums of
        kept summands take none."""
        block = list(range(len(self.bytes)))
        for number, (_, _, read, to) in enumerate(self.instructions):
            for buffer in read:
                in_place = self.offset[buffer] == self.offset[to] and self.bytes[buffer] == self.bytes[to]
                if in_place and to not in self.kept and self.last_use[buffer] == number:
                    block[to] = block[buffer]
        for buffer, following in self.parameters.items():
            if following >= 0 and block[following] != block[buffer]:
                mine, other = block[buffer], block[following]
                block = [mine if b == other else b for b in block]
        return block


def swapping(step, memory_bytes, bytes_per_second, look_ahead=LOOK_AHEAD):
    """Seconds of a step, as `swapped` has them, or None."""
    found = swapped(step, memory_bytes, bytes_per_second, look_ahead)
    return found and found[0]


def swapped(step, memory_bytes, bytes_per_second, look_ahead=LOOK_AHEAD):
    """Seconds of a step, and bytes that its GPU's link to the host moves, where one GPU of this memory keeps what does not fit in the host's. Least recently used first,
    but nothing that is used soon; what the host has already is dropped, not copied; prefetches. None: a single
    instruction does not fit. The link carries one copy at a time."""
    block = step.blocks()
    size = {}
    for buffer, number in enumerate(block):
        size[number] = max(size.get(number, 0), step.bytes[buffer])
    persistent = {block[p] for p in step.parameters} | {block[i] for i in step.inputs}
    reads = [sorted({block[b] for b in read}) for _, _, read, _ in step.instructions]
    writes = [block[to] for *_, to in step.instructions]
    last = {}
    for number, (read, write) in enumerate(zip(reads, writes)):
        for b in (*read, write):
            last[b] = number
    uses = [set(r) | {w} for r, w in zip(reads, writes)]
    if max(sum(size[b] for b in use) for use in uses) > memory_bytes:
        return None

    resident, clean, ready = {}, set(persistent), {}  # block: last use; those that the host has; when copied in
    free = memory_bytes
    link = clock = 0.0
    durations = []
    for _ in range(2):  # the second step starts as every other does
        began, moved = clock, 0
        starts = []
        for number, (read, write) in enumerate(zip(reads, writes)):
            issue = starts[number - look_ahead] if number >= look_ahead else began
            soon = set().union(*uses[number:number + look_ahead])
            wait = clock
            for b in (*read, write):
                if b in resident:
                    wait = max(wait, ready.get(b, 0.0))
                    continue
                while free < size[b]:
                    candidates = [v for v in resident if v not in soon] or [v for v in resident if v not in uses[number]]
                    victim = min(candidates, key=lambda v: (resident[v][0], v))
                    used, ended = resident.pop(victim)
                    free += size[victim]
                    issue = max(issue, ended)
                    if victim not in clean:
                        link = max(link, ended) + size[victim] / bytes_per_second
                        moved += size[victim]
                        wait = max(wait, link)
                        clean.add(victim)
                free -= size[b]
                if b in read:  # was swapped out, or lies in the host from the start
                    link = max(link, issue) + size[b] / bytes_per_second
                    moved += size[b]
                    ready[b] = link
                    wait = max(wait, link)
                resident[b] = (len(durations) * len(reads) + number, clock)
            starts.append(wait)
            clock = wait + step.instructions[number][1]
            for b in uses[number]:
                resident[b] = (len(durations) * len(reads) + number, clock)
            clean.discard(write)
            for b in uses[number]:
                if last[b] == number and b not in persistent:
                    free += size[b]
                    del resident[b]
                    clean.discard(b)
        durations.append(clock - began)
    return durations[-1], moved


def layer_of(node):
    found = re.search(r"layer(\d+)/", node)
    return int(found.group(1)) if found else None


class Placement:
    """Layers round-robin over GPUs, each GPU running what is ready in the order of the program (thesis section 3.7.1).
    With in-place sums, it is what `smexc --algorithm layer-wise` plans; see `Step.keep_summands` for others.
    `seconds` of a step; `peak` of the fullest GPU."""

    def __init__(self, step, gpus, bytes_per_second, latency):
        layers = [layer_of(node) for node, *_ in step.instructions]
        top = max(layer for layer in layers if layer is not None)
        self.gpus = gpus
        # Inputs are cut where the first layer is; the loss is where the last is.
        self.place = [(0 if node.startswith("input") else top) % gpus if layer is None else layer % gpus
                      for layer, (node, *_) in zip(layers, step.instructions)]
        producer = {}
        self.readers = {}
        for number, (_, _, read, to) in enumerate(step.instructions):
            producer[to] = number
            for buffer in read:
                self.readers.setdefault(buffer, []).append(number)
        self.step = step
        self.schedule(producer, bytes_per_second, latency)
        self.peak = max(self.memory(gpu) for gpu in range(gpus))

    def schedule(self, producer, bytes_per_second, latency):
        step = self.step
        open_operands = [sum(b in producer for b in read) for _, _, read, _ in step.instructions]
        ready = [[] for _ in range(self.gpus)]
        arrivals = [(0.0, number) for number, count in enumerate(open_operands) if count == 0]
        heapq.heapify(arrivals)
        earliest = [0.0] * len(step.instructions)
        busy = [0.0] * self.gpus
        port = [0.0] * self.gpus
        self.start, self.end = [0.0] * len(step.instructions), [0.0] * len(step.instructions)
        arrived = {}
        done = 0
        while done < len(step.instructions):
            # The GPU that can start something first does so: the first in the program of what is ready then.
            while arrivals and not any(ready):
                when, number = heapq.heappop(arrivals)
                heapq.heappush(ready[self.place[number]], number)
            soonest = min((max(busy[g], min(earliest[n] for n in ready[g])), g) for g in range(self.gpus) if ready[g])
            when, gpu = soonest
            if arrivals and arrivals[0][0] <= when:
                while arrivals and arrivals[0][0] <= when:
                    _, number = heapq.heappop(arrivals)
                    heapq.heappush(ready[self.place[number]], number)
                continue
            number = min(n for n in ready[gpu] if earliest[n] <= when)
            ready[gpu].remove(number)
            heapq.heapify(ready[gpu])
            _, seconds, _, to = step.instructions[number]
            self.start[number], self.end[number] = when, when + seconds
            busy[gpu] = when + seconds
            done += 1
            for reader in self.readers.get(to, []):
                there = self.place[reader]
                at = busy[gpu]
                if there != gpu:
                    if (to, there) not in arrived:
                        port[there] = max(port[there], at + latency) + step.bytes[to] / bytes_per_second
                        arrived[to, there] = port[there]
                    at = arrived[to, there]
                earliest[reader] = max(earliest[reader], at)
                open_operands[reader] -= 1
                if open_operands[reader] == 0:
                    heapq.heappush(arrivals, (earliest[reader], reader))
        self.seconds = max(self.end)

    def memory(self, gpu):
        """Peak of one GPU: its layers' parameters, and values from their producer to their last reader."""
        step = self.step
        block = step.blocks()
        spans = {}
        forever = {block[b] for b in step.parameters}
        for number, (node, _, read, to) in enumerate(step.instructions):
            if self.place[number] != gpu:
                continue
            for buffer in (*read, to):
                lo, hi = spans.get(block[buffer], (self.start[number], 0.0))
                spans[block[buffer]] = (min(lo, self.start[number]), max(hi, self.end[number]))
            readers = [r for r in self.readers.get(to, []) if self.place[r] != gpu]
            if readers:
                lo, hi = spans[block[to]]
                spans[block[to]] = (lo, max(hi, max(self.start[r] for r in readers)))
        size = {}
        for buffer, number in enumerate(block):
            size[number] = max(size.get(number, 0), step.bytes[buffer])
        total = sum(size[b] for b in spans if b in forever)
        changes = []
        for b, (lo, hi) in spans.items():
            if b not in forever and hi > lo:
                changes += [(lo, 1, size[b]), (hi, 0, -size[b])]
        peak = now = 0
        for _, _, change in sorted(changes):
            now += change
            peak = max(peak, now)
        return total + peak
