#!/bin/bash
# Rows that workers fetch, where the graph is known: see graph_rows.py.
# usage: graph_rows.sh SMEX_ZOO SMEXC
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/graph_rows.py "$@"
