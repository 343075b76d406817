"""A table of networks and numbers of GPUs: the bytes that a placement says its plan takes of a GPU, and those of the plan,
as it is in the execution graph. What is said is never less, and at most 2 % more.
usage: plan_memory.py SMEXC SMEX_ZOO FOLDER [OPTION OF SMEXC ..]"""

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
GPUS = (2, 4, 8)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def largest(text, name):
    """Of the numbers of an attribute, which stands once in the text."""
    (numbers,) = re.findall(rf"\b{name} = array<i64: ([0-9, ]+)>", text)
    return max(int(number) for number in numbers.split(","))


def main():
    smexc, zoo, folder, *options = sys.argv[1:]
    wrong = 0
    print(f"{'network':10} {'GPUs':>4} {'placed':>12} {'plan':>12}")
    for name, (arguments, loss) in NETWORKS.items():
        model = os.path.join(folder, name + ".json")
        run([zoo, *arguments.split(), "-o", model])
        for gpus in GPUS:
            command = [smexc, model, "--gpus", str(gpus), "--train", "--loss", loss, "--optimizer", "sgd", "--lr", "0.01",
                       "--machine", "dgx-2", "--algorithm", "pardnn", *options, "--emit"]
            said = largest(run([*command, "decisions"]), "peak_bytes")
            planned = largest(run([*command, "exec"]), "arena")
            fits = planned <= said <= planned * (1 + MOST)
            wrong += not fits
            print(f"{name:10} {gpus:4} {said:12,} {planned:12,} {100 * (said / planned - 1):+6.2f} %"
                  + ("" if fits else "  <- NOT WITHIN 0 to 2 %"))
    sys.exit(wrong > 0)


main()
