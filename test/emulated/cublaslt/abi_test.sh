#!/bin/bash
# Compiles Abi.cpp, whose assertions compare our declarations with cublasLt.h.
set -uo pipefail
for folder in "${CUDA_HOME:-}/include" /usr/local/cuda/include /usr/include; do
  if [ -f "$folder/cublasLt.h" ]; then
    exec "${CXX:-c++}" -std=c++17 -fsyntax-only -I. -isystem "$folder" test/emulated/cublaslt/Abi.cpp
  fi
done
echo "no cublasLt.h on this machine: nothing was compared"
