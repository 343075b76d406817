"""What becomes of chapter 4's statements where a number that had to be chosen is another one: the same rows are run again, so
this is for small graphs (--scale, --rows, --only, --batches)."""

import copy

from sensitivity import lines

# Of the programs that have such an option, what else to try; one more number is one more line.
NUMBERS = {
    "features": (50, 200, 500),
    "classes": (3, 40),
    "gat_hidden": (32, 128),
    "skew": (0.5, 0.7, 0.8),  # a half: all edges alike
    "stand_in": ("heights",),  # for DyNet
    "vocabulary": (5000, 80000),
}


def add_options(parser):
    parser.add_argument("--sensitivity", nargs="?", const="all", metavar="NUMBER,..", help="also runs the same rows with other "
                        f"numbers, one at a time, and says for which each statement holds; of {', '.join(NUMBERS)}, those "
                        "that are options here; default: all of these")


def judge(options, state):
    """Prints the statements of `state(options)`, which runs what they are of and has None where losses differ, and with
    --sensitivity for which numbers each holds. The exit status."""
    says = state(options)
    if says is None:
        return 3
    status = says.print()
    if options.sensitivity:
        base, tried = {}, {}
        for name in chosen(options):
            base[name] = getattr(options, name)
            tried[name] = {base[name]: says.verdicts}
            for value in NUMBERS[name]:
                if value == base[name]:
                    continue
                varied = copy.copy(options)
                setattr(varied, name, value)
                print(f"\n{name} {value}", flush=True)
                again = state(varied)
                if again is None:
                    return 3
                tried[name][value] = again.verdicts
        print("\n".join(lines(base, tried)))
    return status


def chosen(options):
    names = NUMBERS if options.sensitivity == "all" else options.sensitivity.split(",")
    for name in names:
        if name not in NUMBERS:
            raise SystemExit(f"error: --sensitivity {name}: not one of {', '.join(NUMBERS)}")
    return [name for name in names if hasattr(options, name)]
