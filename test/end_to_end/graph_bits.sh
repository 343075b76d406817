#!/bin/bash
# smexc --reproducible on graphs: see graph_bits.py.
# usage: graph_bits.sh SMEX_ZOO SMEXC SMEX_RUN NETWORK [SEED]
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/graph_bits.py "$@"
