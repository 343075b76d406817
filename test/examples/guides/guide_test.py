#!/usr/bin/python3
"""Runs the commands of a guide, and compares what they print with what it says.

usage: guide_test.py GUIDE PROGRAM..

Commands are the lines of indented blocks that begin with "$ ". The other lines
of a block are what the commands before them print: ".." on a line of its own
stands for any lines, within a line for any text.
"""

import os
import re
import subprocess
import sys
import tempfile


def commands(text):
    """Each command of the guide with the lines that it is to print."""
    found = []
    for line in text.splitlines():
        if not line.startswith("    "):
            continue
        line = line[4:]
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
        else:
            sys.exit(f"no command prints \"{line}\"")
    return found


def pattern(lines):
    """What the output must be, as a regular expression."""
    parts = []
    for line in lines:
        if line == "..":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.split(".."))) + r"\n")
    return "".join(parts)


def main():
    guide, programs = sys.argv[1], sys.argv[2:]
    with open(guide) as file:
        found = commands(file.read())
    if not found:
        sys.exit(f"{guide} has no commands")
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as work:
        for folder in ("examples", "test"):
            os.symlink(f"{here}/{folder}", f"{work}/{folder}")
        path = {os.path.dirname(os.path.abspath(program)) for program in programs}
        environment = dict(os.environ)
        environment["PATH"] = ":".join(sorted(path)) + ":" + os.environ["PATH"]
        for command, lines in found:
            print("$", command, flush=True)
            ran = subprocess.run(
                ["bash", "-c", command], cwd=work, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(ran.stdout, end="", flush=True)
            if ran.returncode != 0:
                sys.exit(f"{guide}: exit status {ran.returncode} of: {command}")
            if not re.fullmatch(pattern(lines), ran.stdout):
                sys.exit(f"{guide}: this is not what is printed by: {command}\n"
                         + "\n".join(lines))


main()
