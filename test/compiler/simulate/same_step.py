#!/usr/bin/env python3
"""usage: same_step.py COMPILED.txt SIMULATION.json: does `smexc` predict the step that `smexc simulate` finds?"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
predicted = re.search(r"^(\S+) ms per step predicted", text, re.MULTILINE)
if not predicted:
    sys.exit(f"nothing predicted in {text!r}")
with open(sys.argv[2], encoding="utf-8") as file:
    found = "%.3g" % (1000 * json.load(file)["step_seconds"])
if predicted[1] != found:
    sys.exit(f"{predicted[1]} ms predicted, {found} ms found")
