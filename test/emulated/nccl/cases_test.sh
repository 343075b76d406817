#!/bin/bash
# The emulated library does what the cases expect, with as many GPUs as they can
# use, and with one.
set -euo pipefail
export LD_LIBRARY_PATH=test/emulated/cuda:test/emulated/nccl
export SMEX_EMULATED_NCCL_FOLDER=$TEST_TMPDIR # cases leave things behind
SMEX_EMULATED_DEVICES=4 test/emulated/nccl/nccl-cases | tee "$TEST_TMPDIR/table"
grep -q '^emulated, .* 0 different, 0 skipped' "$TEST_TMPDIR/table"
SMEX_EMULATED_DEVICES=1 SMEX_EMULATED_SEED=5 test/emulated/nccl/nccl-cases
