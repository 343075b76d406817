#!/usr/bin/env python3
"""The programs of programs.bzl. With --targets, their targets, a line each."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def programs():
    scope = {}
    with open(os.path.join(HERE, "programs.bzl")) as file:
        exec(file.read(), scope)  # Starlark that is Python, too
    return [dict(each, path=each["target"][2:].replace(":", "/")) for each in scope["PROGRAMS"]]


if __name__ == "__main__":
    if sys.argv[1:] != ["--targets"]:
        sys.exit(__doc__)
    for program in programs():
        print(program["target"])
