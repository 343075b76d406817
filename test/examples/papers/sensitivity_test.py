#!/usr/bin/env python3
"""examples/papers/sensitivity.py on a machine and a statement made by hand."""

import json
import os
import tempfile
from types import SimpleNamespace

from checks import equal  # makes the modules known
from plans import Statements, between
from sensitivity import OF_MEMORY, UNSAID, lines, ranges, tries, variants, vary


machine = {"device": {"launch_seconds": 2.0, "efficiency": {"memory": 0.75}},
           "links": [{"bytes_per_second": 8.0}, {"bytes_per_second": 4.0, "latency_seconds": 1.0}]}
# A step of 8 bytes over the first link, after a launch: the statement is that the link takes most of it.
seconds = lambda described: (8 / described["links"][0]["bytes_per_second"], described["device"]["launch_seconds"])


def verdicts(described):
    says = Statements()
    copy, launch = seconds(described)
    says.add("copies take most", copy, copy > launch)
    says.add("both take time", copy, copy > 0 and launch > 0, within="exactly")
    says.add("neither does", copy, False)
    if copy <= 1:
        says.add("only where links are fast", copy, True)
    return says.verdicts


equal("all links", [link["bytes_per_second"] for link in vary(machine, ["links/*/bytes_per_second"], 2)[0]["links"]], [16, 8])
equal("the first is said", vary(machine, ["links/*/bytes_per_second"], 2)[1], 16)
equal("left out of one", vary(machine, ["links/*/latency_seconds"], 3)[1], 3)
equal("a share", vary(machine, ["device/efficiency/memory"], 2, 1)[1], 1)
equal("of a whole", vary({"device": {"efficiency": {"memory": 1}}}, ["device/efficiency/memory"], 0.5, 1)[1], 0.5)
equal("not there", vary(machine, ["device/reserved_bytes"], 2), (machine, None))
equal("not there, below", vary(machine, ["device/efficiency/contraction/most"], 2), (machine, None))
both_ways = {"device": {"reserved_bytes": 75, "cache_bytes": 3}, "links": [{"duplex": False}, {"duplex": False}]}
equal("a yes and a no", [(value, [link["duplex"] for link in changed["links"]]) for value, changed in tries("duplex", both_ways)],
      [(True, [True, True])])
equal("as it is", vary(both_ways, ["links/*/duplex"]), (both_ways, False))
equal("bytes are whole", [repr(value) for value, _ in tries("cache_bytes", both_ways)], ["1", "2", "4", "6"])
equal("factors of its own", [value for value, _ in tries("reserved_bytes", both_ways)], [0, 150, 300, 600])
with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, "machine.json")
    with open(name, "w") as file:
        json.dump(both_ways, file)
    options = SimpleNamespace(machine=name, sensitivity="least_batch,points,look_ahead,duplex", least_batch=4, look_ahead=16)
    equal("of options, those that are there", [(number, value) for number, value, _ in variants(options, folder, folder)],
          [("least_batch", 1), ("least_batch", 64), ("look_ahead", 8), ("look_ahead", 11), ("look_ahead", 22), ("look_ahead", 32),
           ("duplex", True)])
    options.sensitivity = "all"
    equal("only of memory", [value for _, value, _ in variants(options, folder, folder, OF_MEMORY)], [0, 150, 300, 600])
equal("by factors", [value for value, _ in tries("launch_seconds", machine)], [1.0, 1.4, 2.8, 4.0])
equal("of nothing", [(value, changed["device"]["issue_seconds"]) for value, changed in tries("issue_seconds", machine)],
      [(value, value) for value in UNSAID["issue_seconds"]])
equal("a copy", machine["device"]["launch_seconds"], 2.0)

equal("always", ranges([(1, True), (2, True)]), True)
equal("never", ranges([(1, False), (2, False)]), False)
equal("yes", ranges([(False, False), (True, True)]), "yes")
equal("words", ranges([("nodes", True), ("heights", False)]), "nodes")
equal("two runs", ranges([(8, True), (1, True), (2, True), (4, False)]), "1 to 2 and 8")

tried = {}
for name, path, factors in (("launch", "device/launch_seconds", (0.25, 0.4, 1, 2)),
                            ("links", "links/*/bytes_per_second", (0.25, 0.4, 1))):
    for factor in factors:
        varied, value = vary(machine, [path], factor)
        tried.setdefault(name, {})[value] = verdicts(varied)
base = {"launch": 2.0, "links": 8.0}
equal("lines", list(lines(base, tried)), [
    "\nEach number alone, by what was tried:",
    "  launch             0.5, 0.8, 2 (assumed), 4",
    "  links              2, 3.2, 8 (assumed)",
    "  copies take most",
    "      holds for launch 0.5 to 0.8",
    "      holds for links 2 to 3.2",
    "  both take time",
    "      holds at all of these",
    "  neither does",
    "      differs at all of these",
    "  only where links are fast",
    "      holds for links 8",
    "      holds whatever: launch",
])

# A share that the text gives as a whole percent.
equal("as printed", between([0.6049, 0.9451], 0.60, 0.95), True)
equal("a percent more", between([0.956], 0.60, 0.95), False)
print("ok")
