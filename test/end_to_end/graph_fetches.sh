#!/bin/bash
# What workers fetch of a tensor by several fetches: see graph_fetches.py.
# usage: graph_fetches.sh SMEX_ZOO SMEXC
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/graph_fetches.py "$@"
