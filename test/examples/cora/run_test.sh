#!/bin/bash
# examples/cora/run on a small graph: both networks learn it. What its tool says of files that are none of its own.
# usage: run_test.sh RUN NODES SMEX_ZOO SMEXC SMEX_RUN FOLDER
set -euo pipefail
run=$1 nodes=$2 data=$6
export PATH=$PWD/$(dirname "$nodes"):$PWD/$(dirname "$3"):$PWD/$(dirname "$4"):$PATH

"$run" "$data" --seeds 2 | tee "$TEST_TMPDIR/log"
awk '/^(gcn|gat): mean / && $3 + 0 > 85 && $(NF - 1) == 2 { ++good } END { exit good != 2 }' "$TEST_TMPDIR/log"

# A network that is not as good as it must be.
status=0
"$run" "$data" --seeds 1 --networks gcn --least 100.5 > "$TEST_TMPDIR/log" 2>&1 || status=$?
[ $status = 3 ] && grep -q 'gcn: less than the 100.5 % of --least' "$TEST_TMPDIR/log"
"$run" "$data" --seeds 1 --networks gcn --least 85 > "$TEST_TMPDIR/log" 2>&1

gives() { # STATUS MESSAGE COMMAND...
  local status=0
  "${@:3}" > "$TEST_TMPDIR/out" 2>&1 || status=$?
  if [ $status != $1 ] || ! grep -Eq -- "$2" "$TEST_TMPDIR/out"; then
    echo "FAILED: ${*:3}: status $status: $(cat "$TEST_TMPDIR/out")"
    exit 1
  fi
}
out=$TEST_TMPDIR/no.npy
gives 2 'usage: examples/cora/run DATA' "$run"
gives 2 'usage: examples/cora/run DATA' "$run" "$data" --seed 1
gives 1 'nowhere/adjacency.npz: is missing' "$run" nowhere
gives 2 'nodes: error: A subcommand is required' "$nodes"
gives 1 'nodes: error: .*: must be a matrix of f32' "$nodes" normalize "$data/labels.npy" -o "$out"
gives 1 'nodes: error: .*features.npz: must be a vector' "$nodes" only "$data/features.npz" "$data/train.npy" -o "$out"
gives 1 'nodes: error: .*element 0 is [0-9]+, and must be from 0 to 20' "$nodes" only "$data/train.npy" "$data/test.npy" -o "$out"
gives 1 'has 21 labels for 140 rows' "$nodes" score "$data/features.npz" "$data/train.npy" "$data/test.npy"
[ ! -e "$out" ]
