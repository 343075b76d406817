#!/bin/bash
# Assembles each PTX example with NVIDIA's ptxas, where it is found, for each
# architecture: what the interpreter accepts has to be PTX.
set -uo pipefail
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
if [ -z "$ptxas" ]; then
  echo "no ptxas on this machine: nothing was assembled"
  exit 0
fi
status=0
for arch in sm_80 sm_86 sm_89 sm_90; do
  for file in test/emulated/ptx/examples/*.ptx; do
    if ! "$ptxas" -arch=$arch "$file" -o "$TEST_TMPDIR/out.cubin"; then
      echo "$file does not assemble for $arch"
      status=1
    fi
  done
done
exit $status
