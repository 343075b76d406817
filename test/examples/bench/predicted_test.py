#!/usr/bin/env python3
"""What `predicted.py` says of plans of tiny sizes: each row of gpu-check's table is there, and verdicts are what the
figures beside them say.

usage: predicted_test.py FOLDER     (of what was built)
"""

import contextlib
import io
import os
import subprocess
import sys

sys.path.insert(0, "examples/bench")
import predicted


def said(ours, peer, is_other=False):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        predicted.against("a step", ours, peer, is_other)
    return out.getvalue().strip()


def check(is_right, what):
    if not is_right:
        sys.exit("FAILED: " + what)


check(said(0.0100, 0.0100).endswith("1.00, holds"), "alike is no loss")
check(said(0.0099, 0.0198).endswith("2.00, holds"), "half the time is no loss")
check(said(0.0104, 0.0100).endswith("0.96, does not hold"), "4 % more holds")
check(said(0.0001, 0.0100, True).endswith("of other sizes"), "a verdict on other sizes")

done = subprocess.run([sys.executable, "examples/bench/predicted.py", "--bin", sys.argv[1], "--tiny"],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
check(done.returncode == 0, done.stderr)
lines = done.stdout.splitlines()
for plan in predicted.plans.benchmarks(tiny=True):
    own = [line for line in lines if line.startswith(f"predicted: {plan.name}, ")]
    kind = plan.about["row"]
    if kind == "overhead":
        own = [line for line in lines if "seconds per instruction" in line]
        check(len(own) == 2 and all("us" in line and "hold" in line for line in own), f"host overhead: {own}")
    elif kind == "fetch":
        check(len(own) == 1 and "GB/s" in own[0] and "hold" in own[0], f"{plan.name}: {own}")
    else:
        # 1 GPU and 8, each with a time; of a training step both peers on an H200.
        check(len(own) == (4 if plan.train else 2) and all(" ms " in line for line in own), f"{plan.name}: {own}")
        check("times as fast as 1" in own[-1], f"{plan.name}: {own[-1]}")
        check(not plan.train or plan.name in predicted.MEASURED, f"{plan.name}: no figure of PyTorch")
print("passed")
