#!/bin/bash
# Inputs whose parts are indices into different things: see index_ranges.py.
# usage: index_ranges.sh SMEXC SMEX_RUN
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/index_ranges.py "$@"
