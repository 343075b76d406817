#!/bin/bash
# The emulated driver gives what its cases say, and a driver that does otherwise
# is noticed.
set -uo pipefail
fail() {
  echo "FAILED: $*"
  exit 1
}
export LD_LIBRARY_PATH=$PWD/test/emulated/cuda
cases=$PWD/test/emulated/cuda/cases
"$cases" 2> /dev/null || fail "the emulated driver gives other results"

found=$(SMEX_EMULATED_FAIL_AT=cuModuleGetFunction:2:999 "$cases" 2> /dev/null)
[ $? = 3 ] || fail "a driver that differs gives status $?"
grep -q 'a function that the module has not: 999, the emulator gives 500' <<< "$found" || fail "it says: $found"
found=$(LD_LIBRARY_PATH=/nowhere SMEX_EMULATED_DEVICES=0 "$cases" 2> /dev/null)
[ $? = 3 ] || fail "no driver gives status $?"
