#!/bin/bash
# The library is found by LD_LIBRARY_PATH, and misses what it should miss.
set -euo pipefail
cd test/emulated/cuda
check() {
  if [ "$1" != "$2" ]; then
    echo "expected '$2', got '$1'"
    exit 1
  fi
}
check "$(LD_LIBRARY_PATH=. ./probe)" "0 emulated sm_90 device"
mkdir "$TEST_TMPDIR/lib"
./without_symbol libcuda.so.1 cuDeviceGetName "$TEST_TMPDIR/lib/libcuda.so.1"
check "$(LD_LIBRARY_PATH=$TEST_TMPDIR/lib ./probe || true)" "missing cuDeviceGetName"
