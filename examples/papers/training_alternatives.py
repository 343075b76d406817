"""What chapter 6 of ParDNN's thesis compares with, modelled on the task graph of a training step for one GPU (as smexc
emits it): gradient checkpointing, unified memory, data parallelism and the layouts of Mesh-TensorFlow. Times of
operators are those of the graph; each function says what it leaves out, always in favour of the alternative."""

import collections

SEGMENTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # that checkpointing tries


class TrainingStep:
    """The operators of a step in order: seconds, bytes of what each makes, whom it reads."""

    def __init__(self, graph):
        nodes = graph["nodes"]
        number = {node["name"]: n for n, node in enumerate(nodes)}
        self.seconds = [node["time"] for node in nodes]
        self.kind = [node.get("kind", "normal") for node in nodes]
        self.bytes = [0 if kind == "reference" else node.get("memory", 0) for node, kind in zip(nodes, self.kind)]
        self.target = [number[node["target"]] if "target" in node else -1 for node in nodes]
        self.reads = [[] for _ in nodes]
        for edge in graph["edges"]:
            self.reads[number[edge["to"]]].append(number[edge["from"]])
        # The forward pass comes first, and then what begins with the gradient of the loss.
        self.backward = next((n for n, node in enumerate(nodes)
                              if self.kind[n] == "reference" or node["name"].startswith("gradient of ")), len(nodes))
        self.residual = sum(size for size, kind in zip(self.bytes, self.kind) if kind == "residual")
        self.last = list(range(len(nodes)))  # task that reads it
        for n, reads in enumerate(self.reads):
            for read in reads:
                self.last[read] = max(self.last[read], n)
        self.total = sum(self.seconds)

    def is_freed(self, n):
        return self.kind[n] == "normal" and self.bytes[n] > 0


def most_alive(step, first=0):
    """The most bytes alive at once of what tasks from `first` on make, without residual ones."""
    changes = [0] * (len(step.seconds) + 1)
    for n in range(first, len(step.seconds)):
        if step.is_freed(n):
            changes[n] += step.bytes[n]
            changes[step.last[n] + 1] -= step.bytes[n]
    most = alive = 0
    for change in changes:
        alive += change
        most = max(most, alive)
    return most


class Checkpointed:
    """Gradient checkpointing (Chen et al. 2016): the forward pass is cut into segments; kept is what crosses a cut, and
    before its gradients a segment is computed once more. Cuts are where least crosses, near equal shares of what the
    backward pass reads. Of all numbers of segments, one by which the step fits with the least recomputed, or else the
    one that needs least. Peak: at once all that is kept, the largest segment, and the most that gradients take."""

    def __init__(self, step, memory_bytes):
        self.step = step
        self.gradients = most_alive(step, step.backward)
        self.peak, self.recomputed, self.segments = step.residual + most_alive(step), 0.0, 1
        self.find_crossing()
        for segments in SEGMENTS:
            if self.peak <= memory_bytes:
                break
            peak, recomputed = self.cut(segments)
            if peak <= memory_bytes or peak < self.peak:
                self.peak, self.recomputed, self.segments = peak, recomputed, segments
        self.seconds = step.total + self.recomputed
        self.fits = self.peak <= memory_bytes

    def find_crossing(self):
        """By place of a cut: bytes that cross it forward; bytes before it that the backward pass reads."""
        step, end = self.step, self.step.backward
        self.last_forward = list(range(end))
        for n in range(end):
            for read in step.reads[n]:
                self.last_forward[read] = max(self.last_forward[read], n)
        changes, self.before = [0] * (end + 2), [0] * (end + 1)
        for n in range(end):
            self.before[n + 1] = self.before[n]
            if not step.is_freed(n):
                continue
            changes[n + 1] += step.bytes[n]
            changes[self.last_forward[n] + 1] -= step.bytes[n]
            if step.last[n] >= end:
                self.before[n + 1] += step.bytes[n]
        self.crossing, alive = [], 0
        for change in changes[:end + 1]:
            alive += change
            self.crossing.append(alive)

    def cut(self, segments):
        """(peak, seconds of what is computed once more)."""
        step, end = self.step, self.step.backward
        share, cuts, place = self.before[end] / segments, [], 0
        for s in range(1, segments):
            while place < end and self.before[place] < (s - 0.25) * share:
                place += 1
            best = place
            while place < end and self.before[place] <= (s + 0.25) * share:
                best = min(best, place, key=lambda at: (self.crossing[at], abs(self.before[at] - s * share), at))
                place += 1
            if best > (cuts[-1] if cuts else 0):
                cuts.append(best)
        segment_of, s = [], 0
        for n in range(end):
            while s < len(cuts) and cuts[s] <= n:
                s += 1
            segment_of.append(s)
        kept = recomputed = 0
        saved = [0] * (len(cuts) + 1)
        for n in range(end):
            is_kept = step.is_freed(n) and segment_of[self.last_forward[n]] > segment_of[n]
            if is_kept:
                kept += step.bytes[n]
                continue
            if step.is_freed(n) and step.last[n] >= end:
                saved[segment_of[n]] += step.bytes[n]
            if segment_of[n] < len(cuts):
                recomputed += step.seconds[n]
        return step.residual + kept + max(saved) + self.gradients, recomputed


def unified_memory(step, memory_bytes, bytes_per_second):
    """Seconds of a step whose memory is paged from and to the host: least recently used leaves first; each access of
    what is not there waits for the link, as does what has been written and leaves. Whole tensors are pages, and a fault
    costs nothing but its bytes."""
    seconds = 0.0
    resident, dirty, used = collections.OrderedDict(), set(), 0
    persistent = [kind == "residual" or not reads and time == 0
                  for kind, reads, time in zip(step.kind, step.reads, step.seconds)]

    def touch(n, now_there):
        """Seconds until it is there; `now_there`: it is written whole, so that nothing is fetched."""
        nonlocal used
        took = 0.0
        if n in resident:
            resident.move_to_end(n)
            return took
        if not now_there:
            took += step.bytes[n] / bytes_per_second
        resident[n] = True
        used += step.bytes[n]
        while used > memory_bytes and resident:
            victim, _ = resident.popitem(last=False)
            used -= step.bytes[victim]
            if victim in dirty:
                dirty.discard(victim)
                took += step.bytes[victim] / bytes_per_second
        return took

    for _ in range(2):  # the second step starts as every other does
        seconds = 0.0
        for n, reads in enumerate(step.reads):
            if step.seconds[n] == 0 and not reads:
                continue  # an input or a parameter, which is fetched when it is read
            for read in reads:
                home = step.target[read] if step.kind[read] == "reference" else read
                seconds += touch(home, False)
            written = step.target[n] if step.kind[n] == "reference" else n
            seconds += touch(written, step.kind[n] != "reference") + step.seconds[n]
            dirty.add(written)
            for m in {*reads, n}:
                if step.last[m] == n and not persistent[m] and m in resident:
                    used -= step.bytes[m]
                    del resident[m]
                    dirty.discard(m)
    return seconds


def all_reduce(size, ways, bytes_per_second, latency):
    """Seconds of a ring among so many GPUs."""
    return 0.0 if ways == 1 else 2 * (ways - 1) * (size / ways / bytes_per_second + latency)


def data_parallel(seconds, step, gpus, bytes_per_second, latency):
    """Seconds of a step on each of `gpus` GPUs that takes `seconds` alone: gradients are summed while the backward pass
    goes on, and what that does not hide comes on top."""
    backward = sum(step.seconds[step.backward:])
    return seconds + max(0.0, all_reduce(step.residual, gpus, bytes_per_second, latency) - backward)


def placed_in_parallel(makespan, step, hosts, bytes_per_second, latency):
    """Seconds of a step on each of `hosts` hosts that have placed it on their own GPUs, where it takes `makespan`: as
    data_parallel, but the backward pass is the same share of the makespan as of all work. A host's GPUs send their
    parts of the gradients at the same time, together at `bytes_per_second`."""
    backward = makespan * sum(step.seconds[step.backward:]) / step.total
    return makespan + max(0.0, all_reduce(step.residual, hosts, bytes_per_second, latency) - backward)


class MeshLayout:
    """Mesh-TensorFlow's Transformer on a mesh of `samples` times `model` GPUs: the batch is split along the one, heads,
    perceptrons and vocabulary along the other. `step` is of batch / samples samples, and all of its time and memory is
    taken to split `model` ways, more than any layout does. `sums`: bytes of the results that partial products of one
    sample's layers add up to, forward and backward, each an all-reduce of `model` GPUs that the next product waits for.
    """

    def __init__(self, step, samples, model, sums, bytes_per_second, latency):
        self.samples, self.model = samples, model
        self.peak = (step.residual + most_alive(step)) / model
        self.seconds = step.total / model
        self.seconds += sum(all_reduce(size, model, bytes_per_second, latency) for size in sums)
        backward = sum(step.seconds[step.backward:]) / model
        self.seconds += max(0.0, all_reduce(step.residual / model, samples, bytes_per_second, latency) - backward)


def sums_of_transformer(layers, batch, sequence, features, element=4):
    """Of an encoder and a decoder of so many layers: one all-reduce after each attention and each perceptron, and as
    many on the way back."""
    size = batch * sequence * features * element
    return [size] * (2 * layers * (2 + 3))
