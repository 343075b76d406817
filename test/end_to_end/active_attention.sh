#!/bin/bash
# Attention over the edges of an active set, against its definition in NumPy: see active_attention.py.
# usage: active_attention.sh SMEXC SMEX_RUN
set -euo pipefail
script=$PWD/test/end_to_end/active_attention.py programs=("${@/#/$PWD/}")
cd "${TEST_TMPDIR:-$(mktemp -d)}"
exec /usr/bin/python3 "$script" "${programs[@]}"
