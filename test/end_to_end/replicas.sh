#!/bin/bash
# Replicas that have all operators each, placed on their GPUs, and a part of the samples; gradients are cut between them
# (ZeRO), as by the search of that name.
# usage: replicas.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
options=(--cuda-arch none)

"$zoo" rnn --layers 3 --hidden 16 --steps 3 --batch 8 -o "$work/rnn.json"
train=(--train --loss mse --optimizer adagrad --lr 0.05)
losses() { grep '^loss' "$1" || fail "no losses in $1: $(cat "$1")"; }
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 1 -o "$work/alone"
"$smex_run" "$work/alone" --steps 3 --seed 5 > "$work/run"
losses "$work/run" > "$work/expected"

"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 8 --algorithm pardnn --replicas 4 -o "$work/replicas"
"$smexc" check "$work/replicas"
"$smex_run" "$work/replicas" --steps 3 --seed 5 --verify --metrics "$work/metrics.json" > "$work/run"
losses "$work/run" | cmp - "$work/expected" || fail "in replicas: other losses"
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --algorithm zero -o "$work/zero"
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 4 --algorithm data-parallel -o "$work/parallel"
"$smex_run" "$work/zero" --steps 3 --seed 5 --verify > "$work/run"
losses "$work/run" | cmp - "$work/expected" || fail "ZeRO: other losses"
/usr/bin/python3 - "$work/replicas/plan.json" "$work/metrics.json" "$work/zero/plan.json" "$work/parallel/plan.json" << 'PYTHON'
import json, sys
replicas, metrics, zero, parallel = (json.load(open(file)) for file in sys.argv[1:])
totals = replicas["totals"]
if totals["communication_bytes"] != metrics["communication_bytes"] or totals["peak_bytes"] != metrics["peak_bytes"]:
    sys.exit("FAILED: replicas: not as predicted")
peaks = totals["peak_bytes"]
if any(peaks[2 * r + g] != peaks[g] for r in range(4) for g in range(2)) or peaks[0] == peaks[1]:
    sys.exit(f"FAILED: replicas are not alike, or do not hold different operators on their GPUs: {peaks}")
# As much moves, the next weights in the place of gradients, and a fourth of the history is on each GPU.
moved = [plan["totals"]["communication_bytes"] for plan in (zero, parallel)]
if moved[0] != moved[1] or not max(zero["totals"]["peak_bytes"]) < max(parallel["totals"]["peak_bytes"]):
    sys.exit(f"FAILED: ZeRO moves {moved[0]} bytes, data parallelism {moved[1]}")
PYTHON
# Operators one after the other on GPUs in turn: terms of a gradient move to where they are added up, each replica's own.
"$smexc" "$work/rnn.json" "${train[@]}" "${options[@]}" --gpus 6 --algorithm round-robin --replicas 3 -o "$work/scattered"
"$smexc" check "$work/scattered"
for backend in cpu reference; do
  "$smex_run" "$work/scattered" --steps 3 --seed 5 --backend "$backend" --verify > "$work/run"
  losses "$work/run" | cmp - "$work/expected" || fail "scattered, by $backend: other losses"
done
/usr/bin/python3 - "$work/scattered/program.json" << 'PYTHON'
import json, sys
program = json.load(open(sys.argv[1]))
ops = program["instructions"]
terms = [op for op in ops if op["op"] == "fetch" and program["buffers"][op["from"]].get("partial")]
reduced = [program["tensors"][program["buffers"][op["to"]]["tensor"]]["name"] for op in ops if op["op"] == "reduce"]
weights = [p["name"] for p in program["parameters"] if not p.get("state")]
if not terms or len(reduced) != len(weights) + 1:
    sys.exit(f"FAILED: {len(terms)} fetches of terms; reduced are {reduced}: not the loss, and once for each of {weights}")
PYTHON
refused() { # MESSAGE OPTION..
  ! "$smexc" "$work/rnn.json" --gpus 4 -o "$work/no" "${@:2}" 2> "$work/error" || fail "$1: is taken"
  grep -q "$1" "$work/error" || fail "$1: says $(cat "$work/error")"
}
refused 'error: --replicas 2: only placements have replicas; give one as --algorithm' --replicas 2
refused 'error: --replicas 2: only placements have replicas' --replicas 2 --algorithm auto --machine dgx-2
refused 'error: 4 GPUs are not 3 replicas of equal size' --replicas 3 --algorithm heft
refused 'error: --groups and --replicas: give one of them' --replicas 2 --groups 2 --algorithm heft
echo passed
