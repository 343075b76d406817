"""What becomes of the statements of Roc's simulated figures where a number of `roc.Assumed` is another one: graphs and plans
are made again with it, so this is for small graphs (--scale) and few GPUs."""

import copy
import dataclasses
import math

import roc
from plans import machine_file
from sensitivity import lines

# What else is tried, one at a time.
NUMBERS = {
    "hidden": (64, 128, 512),
    "layers": (1, 3, 4),
    "skew": (0.5, 0.57, 0.7),  # a half: all edges alike
    "order": ("degree", "random"),
    "cache": (0.0, 2 * 2**20, 8 * 2**20, math.inf),
    "pcie": (6e9, 9e9, 16e9, 24e9),
    "memory": (8 * 2**30, 12 * 2**30, 32 * 2**30),
    "managed": (1.1e9, 1.2e9, 1.4e9, 1.6e9),
}


def add_options(parser, numbers):
    """`numbers`: those that the program depends on."""
    parser.set_defaults(numbers=numbers, more_rows=True)
    parser.add_argument("--sensitivity", nargs="?", const=",".join(numbers), metavar="NUMBER,..",
                        help="also runs with other values of what is assumed, one number at a time, and says for which each "
                        f"statement holds; of {', '.join(numbers)}; default: all of these")


def value_of(assumed, name):
    """Where Assumed leaves a number to the machine's preset, that."""
    value = getattr(assumed, name)
    return machine_file(roc.PRESET)["device"]["cache_bytes"] if value is None else value


# Options of the programs by which they print more rows, with other numbers.
ROWS = ("capacities", "hidden", "orders", "pcie")


def judge(options, state):
    """Prints the statements of `state(options, assumed, print)`, and with --sensitivity for which numbers each holds. The
    exit status."""
    assumed = roc.Assumed()
    says = state(options, assumed, print)
    status = says.print()
    if options.sensitivity:
        base, tried, alone = {}, {}, copy.copy(options)
        alone.more_rows = False
        for rows in ROWS:
            setattr(alone, rows, "")
        for name in options.sensitivity.split(","):
            if name not in options.numbers:
                raise SystemExit(f"error: --sensitivity {name}: not one of {', '.join(options.numbers)}")
            base[name] = value_of(assumed, name)
            tried[name] = {base[name]: says.verdicts}
            for value in NUMBERS[name]:
                again = state(alone, dataclasses.replace(assumed, **{name: value}), lambda *_, **__: None)
                tried[name][value] = again.verdicts
        print("\n".join(lines(base, tried)))
    return status
