#!/bin/bash
# Compiles a source whose assertions compare what is declared by hand with one of
# NVIDIA's headers, and says where that was found: a toolkit's folder ($CUDA_HOME,
# /usr/local/cuda), one of the system, or pip's packages. A machine without it has
# nothing to compare with.
# usage: against_header.sh HEADER SOURCE
set -uo pipefail
header=$1 source=$2
folders=()
while read -r folder; do
  [ ! -d "$folder" ] || folders+=("$folder")
done < <(
  [ -z "${CUDA_HOME:-}" ] || echo "$CUDA_HOME/include"
  printf '%s\n' /usr/local/cuda/include /usr/local/include /usr/include /usr/include/x86_64-linux-gnu
  for python in "${VIRTUAL_ENV:-/none}/bin/python" python3; do
    "$python" -c 'import glob, sys
for path in sys.path:
    print(*sorted(glob.glob(path + "/nvidia/*/include"), reverse=True), sep="\n")' 2> /dev/null
  done
)
for folder in "${folders[@]}"; do
  if [ -f "$folder/$header" ]; then
    echo "compared with $folder/$header"
    # Headers of one library include another's, which may be elsewhere: -idirafter,
    # since the system's own folders keep their order.
    exec "${CXX:-c++}" -std=c++17 -fsyntax-only -I. -isystem "$folder" "${folders[@]/#/-idirafter}" "$source"
  fi
done
echo "no $header on this machine: nothing was compared"
