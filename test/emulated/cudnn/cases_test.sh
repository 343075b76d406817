#!/bin/bash
# The cases on the emulated libraries: no difference, and none left out.
set -euo pipefail
cd test/emulated
LD_LIBRARY_PATH=cuda:cudnn cudnn/cases --all > "$TEST_TMPDIR/table" || { cat "$TEST_TMPDIR/table"; exit 1; }
tail -1 "$TEST_TMPDIR/table" | tee "$TEST_TMPDIR/last"
grep -q 'emulated .*, 0 different, 0 not tried' "$TEST_TMPDIR/last"
# A difference is one: the same calls where none has an algorithm.
if LD_LIBRARY_PATH=cuda:cudnn SMEX_EMULATED_CUDNN_NO_ALGORITHM=1 cudnn/cases > "$TEST_TMPDIR/none"; then
  echo "no algorithms, and no difference"
  exit 1
fi
grep -q 'DIFFERENT | values: float ' "$TEST_TMPDIR/none"
