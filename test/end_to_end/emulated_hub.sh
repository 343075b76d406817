#!/bin/bash
# A vertex with so many edges that several blocks share them, on GPUs that are
# emulated: in inference the numbers of processors, the same bits on one GPU and on
# two. Kernels touch nothing but their buffers and the memory for parts that the
# plan says.
# usage: emulated_hub.sh SMEX_ZOO SMEXC SMEX_RUN LIBCUDA KNOWN_LAUNCHES COMPARE_NPY
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
zoo=$PWD/$1 smexc=$PWD/$2 run=$PWD/$3 known=$PWD/$5 compare=$PWD/$6
libraries=$(emulated "$4")
cd "${TEST_TMPDIR:-$(mktemp -d)}"

awk 'BEGIN { srand(2); for (e = 0; e < 40000; e++)
  print int(90 * rand()), e % 10 ? 7 : int(90 * rand()) }
  END { print "89 89" }' < /dev/null > edges.txt
"$zoo" sage --layers 1 --features 3 --hidden 3 --classes 3 -o model.json
for gpus in 1 2; do
  "$smexc" model.json --graph edges.txt --gpus $gpus --reproducible --cuda-arch sm_80 -o plan$gpus > /dev/null
  "$smexc" check plan$gpus
  grep -q '"parts"' plan$gpus/kernels.sm_80.json || fail "no kernel has parts"
  "$run" plan$gpus --backend cpu --seed 4 --output-dir cpu$gpus > /dev/null
  "$known" plan$gpus sm_80 $gpus > launches
  grep -q '_parts ' launches || fail "nothing is known of launches of parts"
  LD_LIBRARY_PATH=$libraries SMEX_EMULATED_LAUNCHES=launches SMEX_EMULATED_DEVICES=$gpus SMEX_EMULATED_SEED=$gpus \
    SMEX_EMULATED_RECORD=record$gpus "$run" plan$gpus --backend cuda --seed 4 --output-dir gpus$gpus > /dev/null
  grep -q '_parts"' record$gpus || fail "no parts are launched"
  for file in cpu$gpus/*.npy; do
    "$compare" "gpus$gpus/$(basename "$file")" "$file" --tolerance 1e-4
  done
done
for file in gpus1/*.npy; do
  cmp "$file" "gpus2/$(basename "$file")" || fail "two GPUs have other bits"
done
