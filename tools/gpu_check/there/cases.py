"""Calls that emulated libraries accepted or refused, on the libraries that are here."""

import os
import sys

import machine
import process


def cases(there, until):
    if not there.manifest["programs"]:
        there.report.add("cases", "programs of cases", "not run", "none was packed")
    for program in there.manifest["programs"]:
        name = program["name"]
        found = machine.where(program["library"] + "*", there.environment["LD_LIBRARY_PATH"],
                              not there.report.emulated)
        if not found:
            there.report.add("cases", name, "not run", f"{program['library']} is not here")
            continue
        done = process.run([os.path.join(there.payload, "cases", name), *program["arguments"]], min(there.each, until()),
                           there.environment, there.work)
        status = {0: "ok", 3: "differs", None: "timed out"}.get(done.status, "fails")
        there.report.add("cases", name, status, f"{found}: {done.last(1)}" if status == "ok" else done.why(),
                         output=done.text[-20000:])
        if status != "ok":
            there.report.line("\n".join("           " + line for line in done.text.splitlines()[-60:]))
    replay(there, until)


def replay(there, until):
    """The calls of packed runs over emulated libraries, again."""
    done = process.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "replay.py"),
                        os.path.join(there.payload, "calls")], min(there.each, until()), there.environment, there.work)
    status = {0: "ok", 3: "differs", 4: "not run", None: "timed out"}.get(done.status, "fails")
    there.report.add("cases", "replayed calls", status, done.last(1) if status == "ok" else done.why(),
                     output=done.text[-20000:])
    if status != "ok":
        there.report.line("\n".join("           " + line for line in done.text.splitlines()[-60:]))
