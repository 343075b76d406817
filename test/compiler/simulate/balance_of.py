#!/usr/bin/env python3
"""usage: balance_of.py SIMULATION.json LOW HIGH: is the slowest worker's time of computing so many times the mean?"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    seconds = [gpu["compute_seconds"] for gpu in json.load(file)["gpus"]]
balance = max(seconds) * len(seconds) / sum(seconds)
if not float(sys.argv[2]) <= balance <= float(sys.argv[3]):
    sys.exit(f"the slowest takes {balance:.3f} times the mean of {seconds}")
