#!/bin/bash
# Inputs with a row per edge, against a count in Python: see edge_rows.py.
# usage: edge_rows.sh SMEXC SMEX_RUN [SEED [TRIALS]]
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/edge_rows.py "$@"
