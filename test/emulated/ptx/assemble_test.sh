#!/bin/bash
# Assembles each PTX example, an instruction of each form that the interpreter has
# (LIST_FORMS prints them), and the kernels that are part of smex-run, with NVIDIA's
# ptxas, where it is found, for each architecture: what the interpreter accepts has
# to be PTX. Where nvcc is found, it compiles those kernels, too.
set -uo pipefail
list_forms=$1
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
if [ -z "$ptxas" ]; then
  echo "no ptxas on this machine: nothing was assembled"
  exit 0
fi
status=0
printf '.version 7.8\n.target sm_80\n.address_size 64\n' > "$TEST_TMPDIR/empty.ptx"
for arch in sm_80 sm_86 sm_89 sm_90 sm_100 sm_120; do
  if ! "$ptxas" -arch=$arch "$TEST_TMPDIR/empty.ptx" -o "$TEST_TMPDIR/out.cubin" 2> /dev/null; then
    echo "this ptxas does not know $arch"
    continue
  fi
  for file in test/emulated/ptx/examples/*.ptx kernels/cuda/kernels.ptx; do
    if ! "$ptxas" -arch=$arch "$file" -o "$TEST_TMPDIR/out.cubin"; then
      echo "$file does not assemble for $arch"
      status=1
    fi
  done
done
for arch in 80 90; do
  "$list_forms" $arch > "$TEST_TMPDIR/forms.ptx" || status=1
  if ! "$ptxas" -O0 -arch=sm_$arch "$TEST_TMPDIR/forms.ptx" -o "$TEST_TMPDIR/out.cubin"; then
    echo "an instruction that the interpreter has for sm_$arch does not assemble"
    status=1
  fi
done

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
  echo "no nvcc on this machine: clang alone has compiled the kernels"
  exit $status
fi
entries() { grep -oE '\.entry smex_[a-z0-9_]+' "$1" | sort; }
for arch in sm_80 sm_90; do
  if ! "$nvcc" -ptx -arch=$arch -std=c++17 -fmad=false -I. kernels/cuda/kernels.cu -o "$TEST_TMPDIR/nvcc.ptx" ||
    ! "$ptxas" -arch=$arch "$TEST_TMPDIR/nvcc.ptx" -o "$TEST_TMPDIR/out.cubin"; then
    echo "nvcc does not compile kernels/cuda/kernels.cu for $arch"
    status=1
  elif ! diff <(entries "$TEST_TMPDIR/nvcc.ptx") <(entries kernels/cuda/kernels.ptx); then
    echo "nvcc and clang make other kernels of kernels/cuda/kernels.cu"
    status=1
  fi
done
exit $status
