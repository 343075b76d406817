#!/bin/bash
# Compiles Abi.cpp, whose assertions compare our declarations with cuda.h.
set -uo pipefail
for folder in "${CUDA_HOME:-}/include" /usr/local/cuda/include /usr/include; do
  if [ -f "$folder/cuda.h" ]; then
    exec "${CXX:-c++}" -std=c++17 -fsyntax-only -I. -isystem "$folder" test/emulated/cuda/Abi.cpp
  fi
done
echo "no cuda.h on this machine: nothing was compared"
