#!/bin/bash
# The emulated library answers each case as the table says.
set -euo pipefail
cd test/emulated
run() {
  LD_LIBRARY_PATH=cuda:cublaslt "$@" cublaslt/cases
}
run env
run env SMEX_EMULATED_SEED=7
# A table that something differs from says so.
status=0
run env SMEX_EMULATED_CUBLASLT_HEURISTICS=0 > "$TEST_TMPDIR/none" || status=$?
[ "$status" = 3 ]
grep -q '^f64 .* heuristic 15$' "$TEST_TMPDIR/none"
