#!/bin/bash
# --bound, room for fewer rows than values could choose: see bounds.py.
# usage: bounds.sh SMEXC SMEX_RUN
set -euo pipefail
exec /usr/bin/python3 test/end_to_end/bounds.py "$@"
