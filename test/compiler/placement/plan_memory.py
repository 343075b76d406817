"""A table of networks and numbers of GPUs: the bytes that a placement says its plan takes of a GPU, those of the list that
it counts them of, and those of the plan, whose list may have another order. What is said is never less than either, and
at most 2 % more than its list's.
usage: plan_memory.py SMEXC SMEX_OPT SMEX_ZOO FOLDER [OPTION OF SMEXC ..]"""

import json
import os
import re
import subprocess
import sys

MOST = 0.02
NETWORKS = {
    "word-rnn": ("word-rnn --layers 4 --hidden 64 --steps 12 --vocabulary 2000 --batch 32", "cross_entropy"),
    "char-crn": ("char-crn --layers 2 --hidden 64 --filters 10 --steps 6 --vocabulary 1000 --batch 16", "cross_entropy"),
    "trn": ("trn --layers 2 --hidden 256 --model 128 --heads 4 --sequence 32 --vocabulary 1000 --batch 8", "cross_entropy"),
    "e3d": ("e3d --layers 2 --hidden 16 --steps 4 --image 32 --batch 2", "mse"),
    "wrn": ("wrn --units 3 --width 2 --batch 16", "cross_entropy"),
}
GPUS = {"pardnn": (2, 4, 8), "window-search": (4,)}  # the latter takes longer
# The list as placements count on it, by the passes of compiler/memory.
FOR_PROCESSORS = "exec-fetch-made,exec-plan-memory"
FOR_GPUS = "exec-fetch-made,exec-fetch-biases,exec-plan-memory{on-gpus kernels-on-gpus exchanges}"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def with_locations(text):
    """What --emit prints, which is for people, with names of nodes as smex-opt reads them."""
    text = re.sub(r'^(#loc\d* = )("[^"]*")$', r"\1loc(\2)", text, flags=re.MULTILINE)
    text = re.sub(r'} ("[^"]*")(?=, %|\) ->)', r"} loc(\1)", text)
    return re.sub(r'^([ }].*) ("[^"]*")$', r"\1 loc(\2)", text, flags=re.MULTILINE)


def largest(text, name):
    """Of the numbers of an attribute, which stands once in the text."""
    (numbers,) = re.findall(rf"\b{name} = array<i64: ([0-9, ]+)>", text)
    return max(int(number) for number in numbers.split(","))


def main():
    smexc, opt, zoo, folder, *options = sys.argv[1:]
    passes = FOR_PROCESSORS if "none" in options else FOR_GPUS
    wrong = 0
    print(f"{'network':10} {'algorithm':14} {'GPUs':>4} {'placed':>12} {'its list':>12} {'':8}   {'plan':>12}")
    for name, (arguments, loss) in NETWORKS.items():
        model, decided, plan = (os.path.join(folder, name + end) for end in (".json", ".mlir", ".plan"))
        run([zoo, *arguments.split(), "-o", model])
        for algorithm, numbers in GPUS.items():
            for gpus in numbers:
                command = [smexc, model, "--gpus", str(gpus), "--train", "--loss", loss, "--optimizer", "sgd",
                           "--lr", "0.01", "--machine", "dgx-2", "--algorithm", algorithm, *options]
                decisions = run([*command, "--emit", "decisions"])
                with open(decided, "w", encoding="utf-8") as file:
                    file.write(with_locations(decisions))
                said = largest(decisions, "peak_bytes")
                listed = largest(run([opt, decided, "--pass-pipeline=builtin.module(smex-lower-to-exec,exec.program("
                                      + passes + "))"]), "arena")
                run([*command, "-o", plan])
                with open(os.path.join(plan, "plan.json"), encoding="utf-8") as file:
                    planned = max(json.load(file)["totals"]["peak_bytes"])
                fits = listed <= said <= listed * (1 + MOST) and planned <= said
                wrong += not fits
                print(f"{name:10} {algorithm:14} {gpus:4} {said:12,} {listed:12,} {100 * (said / listed - 1):+6.2f} %   "
                      f"{planned:12,}" + ("" if fits else "  <- NOT AT LEAST THESE, AND WITHIN 2 %"))
    sys.exit(wrong > 0)


main()
