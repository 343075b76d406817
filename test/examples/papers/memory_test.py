#!/usr/bin/env python3
"""The memory of examples/papers on a plan made by hand, of two workers: everything is bytes, and can be counted."""


from checks import equal  # makes the modules known
from memory import MemoryOfPlan, ancestors, fetched_at, greedy, most_alive, reduced, unfused


# Both hold half of x, 4 bytes; 0: a = f(x), 4 bytes; 1: fetch all of x, 8 bytes; 2: b = g(a, all of x), 4 bytes;
# 3: c = h(b), 2 bytes, the output.
X, A, ALL, B, C = range(5)
PROGRAM = {
    "tensors": [{"dtype": "i8"}, {"dtype": "i8"}, {"dtype": "i8"}, {"dtype": "i8"}],
    "buffers": [{"tensor": 0}, {"tensor": 1}, {"tensor": 0}, {"tensor": 2}, {"tensor": 3}],
    "instructions": [
        {"op": "compute", "operands": [X], "to": A},
        {"op": "fetch", "from": X, "to": ALL},
        {"op": "compute", "operands": [A, ALL], "to": B},
        {"op": "compute", "operands": [B], "to": C},
    ],
    "inputs": [{"buffer": X}],
    "outputs": [{"buffer": C}],
    "parameters": [],
}


def worker(number):
    own = [[4 * number, 4 * number + 4]]
    boxes = [own, own, [[0, 8]], own, [[0, 2]]]
    pieces = [{"worker": 0, "box": [[0, 4]]}, {"worker": 1, "box": [[4, 8]]}]
    return {"buffers": [{"box": box, "offset": 10 * n} for n, box in enumerate(boxes)],
            "instructions": [{}, {"pieces": pieces}, {}, {}]}


plan = MemoryOfPlan(PROGRAM, [worker(0), worker(1)])
in_order = range(4)
# While b is made: a, all of x, b; x itself ended with the fetch.
equal("most alive", most_alive(plan, 0, in_order), (16, 1))
equal("fetched", fetched_at(plan, 0, 1), 4)
# The fetch before all else: x, all of x, a while a is made; the same most.
equal("early", plan.early(), [0, -0.5, 2, 3])
equal("early fetch", most_alive(plan, 0, plan.early())[0], 16)
# Split and copied: x is one piece on either worker, so nothing is split off; the other's is copied, and put together.
equal("unfused", unfused(plan, 0), {1: 4})
equal("with blocks between", most_alive(plan, 0, in_order, unfused(plan, 0))[0], 20)
# Bits: instruction * 2 + worker. The fetch reads what no instruction makes; b follows a and the fetch.
equal("by data", ancestors(plan, control=False)[0], [0, 0, 0b101, 0b010101])
# b takes the place of x, c that of a. Along data b does not follow the other worker's fetch, which reads x, too.
equal("one after the other", greedy(plan, 0), 4 + 4 + 8)
equal("along data", greedy(plan, 0, ancestors(plan, control=False)), 4 + 4 + 8 + 4)
# A fetch adds up nothing; were it a reduction, all 8 bytes of its pieces.
equal("nothing is reduced", reduced(plan, 0), 0)
PROGRAM["instructions"][1]["op"] = "reduce"
equal("reduced", reduced(plan, 0), 8)
print("memory_test: done")
