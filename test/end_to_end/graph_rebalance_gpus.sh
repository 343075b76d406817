#!/bin/bash
# A graph network that trains on emulated GPUs has its layers timed there and the
# cost model fitted; with ranges of vertices by that model it goes on from its
# checkpoint. Losses are those of processors.
# usage: graph_rebalance_gpus.sh SMEX_ZOO SMEXC SMEX_RUN LIBCUDA
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3
libraries=$(emulated "$4")
cd "${TEST_TMPDIR:-$(mktemp -d)}"

# Most edges lead to the first vertices.
awk 'BEGIN { srand(1); for (e = 0; e < 12000; e++)
  print int(300 * rand()), int(300 * rand() ^ 6) }
  END { print "299 299" }' < /dev/null > edges.txt
"$zoo" gat --layers 2 --heads 1 --features 8 --hidden 4 --classes 3 -o gat.json
options=(gat.json --graph edges.txt --gpus 2 --cuda-arch sm_80
  --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01)
"$smexc" "${options[@]}" --graph-partition equal-vertices -o plan
"$run" plan --steps 6 --seed 3 --metrics cpu.json
export LD_LIBRARY_PATH=$libraries SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_SEED=5
"$run" plan --backend cuda --steps 4 --seed 3 --metrics gpus.json --checkpoint-dir last \
  --cost-model cost.json --rebalance-every 3 --move-seconds 0 --recompile "'$smexc' ${options[*]}" | tee log
grep -q "cost model fitted to" log || fail "no model"
# Whether ranges move there is a matter of how fast the emulator is.
grep -q "^step 3: slowest worker .* if .* vertices move" log || fail "nobody looked whether a move pays"
grep -q emulated gpus.json || fail "the metrics do not say that the GPU is emulated"
# With ranges by the model, training goes on.
"$smexc" "${options[@]}" --graph-partition cost.json -o by_model
"$smexc" check by_model
"$run" by_model --backend cuda --steps 6 --seed 3 --metrics more.json --checkpoint-dir last --resume --cost-model cost.json
python3 - cpu.json gpus.json more.json <<'END'
import json, sys
cpu, *gpus = ([step["loss"] for step in json.load(open(run))["steps"]] for run in sys.argv[1:])
other = gpus[0] + gpus[1]
assert len(cpu) == len(other) == 6, (cpu, other)
off = max(abs(a - b) / abs(a) for a, b in zip(cpu, other))
assert off <= 1e-4, (off, cpu, other)
END
