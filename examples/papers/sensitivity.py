"""What becomes of statements where a number that had to be chosen is another one: kept plans are simulated again, by a
machine file that has it. Plans are made without a machine, so they stay the same, and so does what fits, but for the numbers
that are of memory: by these, plans of other batches or sizes may be wanted."""

import copy
import json
import os
import tempfile

from plans import Plans, machine_file

# Numbers of a machine file, by where it has them; "*": each of a list. A number that a file does not have is left out, so
# one more that machines may say is one more line.
NUMBERS = {
    "contraction.most": ["device/efficiency/contraction/most"],
    "convolution.most": ["device/efficiency/convolution/most"],
    "half_flops": ["device/efficiency/contraction/half_flops", "device/efficiency/convolution/half_flops"],
    "ramp_seconds": ["device/efficiency/contraction/ramp_seconds", "device/efficiency/convolution/ramp_seconds"],
    "memory efficiency": ["device/efficiency/memory"],
    "launch_seconds": ["device/launch_seconds"],
    "latency_seconds": ["links/*/latency_seconds"],
    "links' bytes/s": ["links/*/bytes_per_second"],  # the paper's
    "cache_bytes": ["device/cache_bytes"],
    "reserved_bytes": ["device/reserved_bytes"],
    "duplex": ["links/*/duplex"],  # a yes or a no: whether both ways have the whole rate
}
SHARES = {"contraction.most", "convolution.most", "memory efficiency"}  # at most 1
# Of a device, where it is 0 or not said: what to try instead. A host that takes as long as MXNet's took for a call is last.
UNSAID = {"issue_seconds": (5e-6, 1e-5, 2e-5, 5e-5)}
# Of the programs that have them, options, and what else to try; None: by FACTORS.
OPTIONS = {"look_ahead": None, "least_batch": (1, 4, 64), "points": (5, 10, 20, 30), "same": (0.001, 0.002, 0.01, 0.02),
           "similar": (0.005, 0.01, 0.02, 0.05), "tolerance": (0.02, 0.03, 0.1, 0.15), "far": (0.05, 0.2, 0.25, 0.5),
           "order": ("plan",)}
FACTORS = (0.5, 0.7, 1.4, 2)
# Others for some: a driver may keep nothing, or half a gigabyte.
FACTORS_OF = {"reserved_bytes": (0, 2, 4, 8)}
OF_MEMORY = ("reserved_bytes",)  # what fits changes with these


def add_options(parser):
    parser.add_argument("--sensitivity", nargs="?", const="all", metavar="NUMBER,..",
                        help="also says for which values of assumed numbers each statement holds; default: of all")


def places(tree, path):
    """Where a path leads, as (what holds it, its key)."""
    key, _, rest = path.partition("/")
    if not rest:
        return [(tree, key)] if key in tree else []
    below = tree if key == "*" else [tree[key]] if key in tree else []
    return [found for each in below for found in places(each, rest)]


def vary(machine, paths, factor=1, most=None, flip=False):
    """A copy of the machine with these numbers times the factor, or with each yes a no, and the first of them; (machine,
    None) without any."""
    machine, value = copy.deepcopy(machine), None
    for tree, key in (found for path in paths for found in places(machine, path)):
        if isinstance(tree[key], bool):
            tree[key] = tree[key] != flip
        else:
            # Bytes are whole; a share is none, also where it is written as 1.
            tree[key] = type(tree[key])(tree[key] * factor) if most is None else min(most, tree[key] * factor)
        value = tree[key] if value is None else value
    return machine, value


def tries(name, machine):
    """(value, machine) for all values of one of its numbers that are tried."""
    if name in UNSAID:
        for value in UNSAID[name]:
            changed = copy.deepcopy(machine)
            changed["device"][name] = value
            yield value, changed
        return
    if isinstance(vary(machine, NUMBERS[name])[1], bool):
        changed, value = vary(machine, NUMBERS[name], flip=True)
        yield value, changed
        return
    for factor in FACTORS_OF.get(name, FACTORS):
        changed, value = vary(machine, NUMBERS[name], factor, 1 if name in SHARES else None)
        if value is not None:
            yield value, changed


def variants(options, plans, machines, known=(*NUMBERS, *UNSAID, *OPTIONS)):
    """(a number's name, the value that it has, options that say so), for all values but the one that is assumed. `plans`
    and `machines`: folders, of plans and for machine files. `known`: names of the numbers that a program depends on."""
    for name in known if options.sensitivity == "all" else options.sensitivity.split(","):
        if name not in known:
            raise SystemExit(f"error: --sensitivity {name}: not one of {', '.join(known)}")
        if name in OPTIONS:
            own = getattr(options, name, None)
            for value in () if own is None else OPTIONS[name] or [max(1, round(own * factor)) for factor in FACTORS]:
                varied = copy.copy(options)
                varied.plans = plans
                setattr(varied, name, value)
                if value != own:
                    yield name, value, varied
            continue
        for value, machine in tries(name, machine_file(options.machine)):
            varied = copy.copy(options)
            varied.plans = plans
            varied.machine = os.path.join(machines, f"machine.{name.replace('/', ' per ')}.{value:g}.json")
            with open(varied.machine, "w", encoding="utf-8") as file:
                json.dump(machine, file)
            yield name, value, varied


def assumed(options, name):
    if name in OPTIONS:
        return getattr(options, name)
    if name in UNSAID:
        return machine_file(options.machine)["device"].get(name, 0)
    return vary(machine_file(options.machine), NUMBERS[name])[1]


def told(value):
    return value if isinstance(value, str) else ("no", "yes")[value] if isinstance(value, bool) else f"{value:.3g}"


def ranges(verdicts):
    """Of (value, whether the statement holds), the values for which it does: runs of neighbours, as text; True or False
    where it is the same for all."""
    verdicts = sorted(verdicts)
    if len({holds for _, holds in verdicts}) == 1:
        return verdicts[0][1]
    runs, open_run = [], False
    for value, holds in verdicts:
        if holds and open_run:
            runs[-1][1] = value
        elif holds:
            runs.append([value, value])
        open_run = holds
    return " and ".join(told(low) if low == high else f"{told(low)} to {told(high)}" for low, high in runs)


def lines(base, tried):
    """For each statement the values for which it holds. `base`: what each number is assumed to be, by name; `tried`: for
    each number, the verdicts by value, that one's among them."""
    yield "\nEach number alone, by what was tried:"
    for name, verdicts in tried.items():
        values = sorted(verdicts)
        yield f"  {name:18} " + ", ".join(told(value) + (" (assumed)" if value == base[name] else "") for value in values)
    for paper in next(iter(tried.values()))[base[next(iter(tried))]] if tried else ():
        # A statement that is not made where nothing of its kind fits does not hold.
        found = {name: ranges([(value, says.get(paper, (False,))[0]) for value, says in verdicts.items()])
                 for name, verdicts in tried.items()}
        always = [name for name, text in found.items() if text is True]
        yield f"  {paper}"
        if all(text is False for text in found.values()):
            yield "      differs at all of these"
            continue
        if len(always) == len(found):
            yield "      holds at all of these"
            continue
        for name, text in found.items():
            if isinstance(text, str):
                yield f"      holds for {name} {text}"
        never = [name for name, text in found.items() if text is False]
        if always:
            yield f"      holds whatever: {', '.join(always)}"
        if never:
            yield f"      differs whatever: {', '.join(never)}"


def judge(options, state, known=(*NUMBERS, *UNSAID, *OPTIONS)):
    """Prints the statements of `state(plans, print)`, and with --sensitivity for which numbers each holds. The exit
    status. `known`: as for `variants`."""
    plans = Plans(options)
    says = state(plans, print)
    status = says.print()
    if options.sensitivity:
        base, tried = {}, {}
        with tempfile.TemporaryDirectory() as machines:
            for name, value, varied in variants(options, plans.folder, machines, known):
                base[name] = assumed(options, name)
                again = Plans(varied, None if name in OF_MEMORY else plans)
                tried.setdefault(name, {base[name]: says.verdicts})[value] = state(again, lambda *_: None).verdicts
        print("\n".join(lines(base, tried)))
    return status
