#!/bin/bash
# A test program in so many processes.
# usage: mpirun.sh PROGRAM N...
set -euo pipefail
source test/end_to_end/inputs_of.sh
source test/mpi/together.sh
for processes in "${@:2}"; do
  together "$processes" "$1" || fail "in $processes processes"
done
