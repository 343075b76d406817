#!/usr/bin/env python3
"""The alternatives of chapter 6, and what its programs compute, on graphs made by hand."""


from checks import near  # makes the modules known
import training_alternatives as alternatives
from task_graphs import largest_fitting


def graph(nodes, edges):
    """Nodes are (name, seconds, bytes, kind[, target]); edges "a b" of all of a's bytes."""
    made = {"nodes": [], "edges": []}
    size = {}
    for name, seconds, memory, kind, *target in nodes:
        node = {"name": name, "time": seconds, "memory": memory, "kind": kind}
        if target:
            node["target"] = target[0]
        size[name] = memory
        made["nodes"].append(node)
    for edge in edges:
        source, to = edge.split("->")
        made["edges"].append({"from": source, "to": to, "bytes": size[source]})
    return made


def chain(layers, seconds=1.0, size=10):
    """x -> a0 -> a1 ..; each gradient reads the one after it and the layer's input. Two seconds backward per layer."""
    nodes = [("x", 0, size, "normal")]
    edges = []
    for n in range(layers):
        nodes.append((f"a{n}", seconds, size, "normal"))
        edges.append(f"{'x' if n == 0 else f'a{n - 1}'}->a{n}")
    for n in reversed(range(layers)):
        name = f"gradient of a{n}"
        nodes.append((name, 2 * seconds, size, "normal"))
        edges.append(f"a{n}->{name}")
        if n + 1 < layers:
            edges.append(f"gradient of a{n + 1}->{name}")
    return alternatives.TrainingStep(graph(nodes, edges))


step = chain(8)
near("backward", step.backward, 9)
near("work", step.total, 8 + 16)
# All eight activations and a first gradient. x is read by a0 alone.
near("alive", alternatives.most_alive(step), 8 * 10 + 10)
near("gradients alive", alternatives.most_alive(step, step.backward), 20)

# With room for all, nothing is computed twice.
whole = alternatives.Checkpointed(step, 90)
near("segments", (whole.segments, whole.peak, whole.seconds), (1, 90, 24.0))
# In two segments: one activation crosses, at most four others are there beside two gradients; three of eight are
# computed again: the first segment's four but the one that is kept.
halves = alternatives.Checkpointed(step, 89)
near("halves", (halves.segments, halves.fits), (2, True))
near("halves' peak", halves.peak, 10 + 40 + 20)
near("halves' seconds", halves.seconds, 24.0 + 3)
# Less than any number of segments comes to.
none = alternatives.Checkpointed(step, 40)
assert not none.fits and none.peak > 40 and none.peak <= halves.peak, none.peak

# A weight of 10 and an update; all fits, so nothing moves in a step after the first but the input, which is new.
nodes = [("x", 0, 4, "normal"), ("w", 0, 10, "residual"), ("y", 1.0, 6, "normal"), ("gradient of w", 1.0, 10, "normal"),
         ("w 2", 1.0, 10, "reference", "w")]
edges = ["x->y", "w->y", "y->gradient of w", "gradient of w->w 2", "w->w 2"]
trained = alternatives.TrainingStep(graph(nodes, edges))
near("residual", trained.residual, 10)
near("paging, all fits", alternatives.unified_memory(trained, 100, 2.0), 3.0)
# 25 bytes: x and w and y are 20; for the gradient of 10 more, x leaves, which nobody has written, and then w does not
# have to: 6 + 10 + 10 = 26 is one too many, so w leaves, too; 5 s to bring it back for the update, when y is gone. It was
# written in the step before: 5 s to copy it out.
near("paging", alternatives.unified_memory(trained, 25, 2.0), 3.0 + 5 + 2 + 5)

# A ring of 4: 2 * 3 parts of a quarter.
near("ring", alternatives.all_reduce(8.0, 4, 2.0, 0.5), 6 * (1.0 + 0.5))
near("one alone", alternatives.all_reduce(8.0, 1, 2.0, 0.5), 0.0)
# 2 s of the ring are hidden behind the backward pass, of the gradient and the update.
near("data parallel", alternatives.data_parallel(3.0, trained, 2, 2.0, 0.0), 3.0 + 5 - 2)
# Placed, the whole step takes half of its 3 s, and so does the backward pass.
near("placed on each of two hosts", alternatives.placed_in_parallel(1.5, trained, 2, 2.0, 0.0), 1.5 + 5 - 1)
near("placed on one host", alternatives.placed_in_parallel(1.5, trained, 1, 2.0, 0.0), 1.5)
# A mesh of 2 x 2: half the time, one sum of 4 bytes over 2, half the weights to sum over 2, less what is behind it.
mesh = alternatives.MeshLayout(trained, 2, 2, [4], 2.0, 0.0)
near("mesh", mesh.seconds, 1.5 + 2 + (2.5 - 1))
near("mesh's peak", mesh.peak, (10 + 6 + 10) / 2)
near("sums", alternatives.sums_of_transformer(1, 2, 3, 5), [2 * 3 * 5 * 4] * 10)

# Bisection over powers of two.
for limit in range(-1, 6):
    near(f"largest of {limit}", largest_fitting(lambda e: e <= limit, 5), 2**limit if limit >= 0 else 0)
