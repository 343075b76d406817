#!/bin/bash
# Runs a test in Python, in a folder for what it writes.
# usage: in_python.sh SMEXC SMEX_RUN SCRIPT [ARGUMENT...]
set -euo pipefail
smexc=$PWD/$1 run=$PWD/$2 script=$PWD/$3
shift 3
cd "${TEST_TMPDIR:-$(mktemp -d)}"
exec /usr/bin/python3 "$script" "$smexc" "$run" "$@"
