#!/bin/bash
# Compiles DnnAbi.cpp, whose assertions compare our declarations with cudnn.h.
set -uo pipefail
for folder in "${CUDA_HOME:-}/include" /usr/local/cuda/include /usr/include; do
  if [ -f "$folder/cudnn.h" ]; then
    exec "${CXX:-c++}" -std=c++17 -fsyntax-only -I. -isystem "$folder" \
      -isystem /usr/local/cuda/include test/runtime/backends/cuda/DnnAbi.cpp
  fi
done
echo "no cudnn.h on this machine: nothing was compared"
