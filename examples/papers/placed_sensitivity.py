"""What becomes of the statements of chapter 6 where a number that had to be assumed is another one: task graphs are
emitted again by a machine file that has it, if they do not have it themselves, and placed again, if they have changed.
Numbers of the machine are those of chapter 3's programs; a program's own, which no machine file has, are options of it.
With --plans, programs find each other's graphs and placements."""

import copy
import json
import os

import networks
from plans import machine_file
from sensitivity import FACTORS, NUMBERS, assumed, lines, tries, vary
from task_graphs import TaskGraphs

# TensorFlow's transfers may reach a small part of the links' rates, and hosts may share a network.
MORE_FACTORS = {"links' bytes/s": (0.1, 0.3), "network_share": (0.01, 0.1)}
# Of some numbers that no machine file has, what is tried in place of FACTORS.
TRIED = {"spare": (0, 0.05, 0.15, 0.2), "wrn_3_units": (51, 76, 126, 151), "wrn_3_width": (14, 17, 24, 28)}
# Numbers that a task graph has as its devices', or has not at all, being of memory: no graph is emitted for these.
OF_DEVICES = {"links' bytes/s": ("bytes_per_second", "host_bytes_per_second"), "latency_seconds": ("latency_seconds",),
              "reserved_bytes": ()}


def ends(tried):
    """The smallest and the largest of what is tried, which begins with its value or is one."""
    ordered = sorted(tried, key=lambda each: each[0] if isinstance(each, tuple) else each)
    return ordered[:1] + ordered[1:][-1:]


def variants(options, folder, own):
    """(a number's name, its value, options that say so), for all values but the one that is assumed. `folder`: for
    machine files; `own`: names of the program's options that are such numbers."""
    chosen = options.sensitivity
    known = [*NUMBERS, *own]
    for name in known if chosen == "all" else chosen.split(","):
        if name not in known:
            raise SystemExit(f"error: --sensitivity {name}: not one of {', '.join(known)}")
        if name in own:
            values = TRIED.get(name) or [getattr(options, name) * factor for factor in MORE_FACTORS.get(name, ()) + FACTORS]
            for value in ends(values) if options.ends else values:
                varied = copy.copy(options)
                setattr(varied, name, value)
                yield name, value, varied
            continue
        machine = machine_file(options.machine)
        tried = [vary(machine, NUMBERS[name], factor)[::-1] for factor in MORE_FACTORS.get(name, ())]
        tried += tries(name, machine)
        for value, changed in ends(tried) if options.ends else tried:
            varied = copy.copy(options)
            varied.variant = f".{name.replace('/', ' per ')}.{value:g}".replace(" ", "-").replace("'", "")
            varied.devices = {key: value / assumed(options, name) for key in OF_DEVICES[name]} if name in OF_DEVICES else None
            varied.machine = os.path.join(folder, f"machine{varied.variant}.json")
            with open(varied.machine, "w", encoding="utf-8") as file:
                json.dump(changed, file)
            yield name, value, varied


def verdicts(options, state, own=("spare",)):
    """Prints the statements of `state(graphs, print, options)`, and with --sensitivity for which numbers each holds. The
    exit status. `own`: as for `variants`; what is assumed of the networks is known."""
    own = [*own, *networks.assumed(options)]
    graphs = TaskGraphs(options)
    says = state(graphs, print, options)
    status = says.print()
    if options.sensitivity:
        options.plans = graphs.folder  # what the machine does not change is found there
        base, tried = {}, {}
        for name, value, varied in variants(options, graphs.folder, own):
            base[name] = getattr(options, name) if name in own else assumed(options, name)
            again = state(TaskGraphs(varied), lambda *_: None, varied)
            tried.setdefault(name, {base[name]: says.verdicts})[value] = again.verdicts
        print("\n".join(lines(base, tried)))
    return status
