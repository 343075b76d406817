#!/usr/bin/env python3
"""The alternatives of examples/papers on steps made by hand, whose times can be worked out on paper."""


from checks import near  # makes the modules known
from alternatives import Placement, Step, adds_alone, swapped, swapping


def step(sizes, instructions, parameters=None, inputs=()):
    made = Step.__new__(Step)
    made.batch = 1
    made.bytes = sizes
    made.offset = [1000 * n for n in range(len(sizes))]  # nothing in place
    made.instructions = instructions
    made.parameters = parameters or {}
    made.inputs = list(inputs)
    made.adds, made.kept = [node.startswith("add") for node, *_ in instructions], set()
    made.last_use = {}
    for number, (_, _, read, to) in enumerate(instructions):
        for buffer in (*read, to):
            made.last_use[buffer] = number
    return made


# All fits: computing alone.
chain = step([10, 10, 10], [("a", 1.0, [0], 1), ("b", 2.0, [1], 2)], {0: -1})
near("no swapping", swapping(chain, 30, 1.0), 3.0)
# An instruction that does not fit.
near("too large", swapping(chain, 19, 1.0), None)
# Two weights of 10 and room for one besides the value: each is read again in every step, 10 s, and dropped without a
# copy, since it was not written.
weights = step([10, 10, 5, 5], [("a", 1.0, [0], 2), ("b", 1.0, [1, 2], 3)], {0: -1, 1: -1})
near("read only", swapping(weights, 22, 1.0), 22.0)
near("bytes read", swapped(weights, 22, 1.0)[1], 20)
# The first is replaced by what follows it: 10 s more to copy it out, and c reads it again.
updated = step([10, 10, 5, 5, 10], [("a", 1.0, [0], 2), ("b", 1.0, [1, 2], 3), ("c", 1.0, [0, 3], 4)], {0: 4, 1: -1})
near("all fits", swapping(updated, 30, 1.0), 3.0)
near("copied out", swapping(updated, 24, 1.0), 1.0 + 10 + 10 + 1 + 10 + 1)
near("bytes copied", swapped(updated, 24, 1.0)[1], 30)
near("none", swapped(chain, 30, 1.0)[1], 0)

# Two layers of three timesteps on two GPUs: 3 + 1 units, and the copies' latency once per timestep on the way.
nodes = []
buffers = 1
for t in range(3):
    nodes.append((f"layer0/step{t}/cell", 1.0, [0] if t == 0 else [nodes[2 * t - 2][3]], buffers))
    nodes.append((f"layer1/step{t}/cell", 1.0, [nodes[-1][3]] + ([nodes[2 * t - 1][3]] if t else []), buffers + 1))
    buffers += 2
pipeline = step([8] * buffers, nodes)
near("pipeline", Placement(pipeline, 2, 1e9, 0.0).seconds, 4 + 8e-9)
near("one GPU", Placement(pipeline, 1, 1e9, 0.0).seconds, 6.0)
near("slow link", Placement(pipeline, 2, 4.0, 0.0).seconds, 1 + 3 * 2 + 1)
# Three gradients of 8 bytes: in place, two of them are there at a time. Kept, all three are, and the sum besides, which one
# pass over 32 bytes makes.
def sums():
    made = step([4, 8, 8, 8, 8, 8, 4], [("layer0/a", 1.0, [0], 1), ("layer0/b", 1.0, [0], 2), ("add layer0/", 1.5, [1, 2], 4),
                                        ("layer0/c", 1.0, [0], 3), ("add layer0/", 1.5, [4, 3], 5),
                                        ("optimizer of layer0/w", 1.0, [0, 5], 6)], {0: 6})
    made.offset[4] = made.offset[5] = made.offset[1]
    return made


in_place = Placement(sums(), 1, 1e9, 0.0)
near("in place, seconds", in_place.seconds, 1 + 1 + 1.5 + 1 + 1.5 + 1)
near("in place", in_place.peak, 4 + 16)
kept = Placement(sums().keep_summands(lambda size: size / 16), 1, 1e9, 0.0)
near("kept, seconds", kept.seconds, 3 + 32 / 16 + 1)
near("kept", kept.peak, 4 + 24 + 8)
near("adds", adds_alone({"lambda": "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"}), True)
near("adds a row", adds_alone({"lambda": "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"}), False)
near("does more", adds_alone({"lambda": "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0] * 2"}), False)
near("a library's", adds_alone({"kind": "convolution"}), False)
print("ok")
