#!/bin/bash
# One plan for N workers on backends and transports that others of its tests do
# not have: the reference backend; the CPU, by several processes over MPI; emulated
# GPUs that do not reach each other, over NCCL; and such GPUs in several processes.
# The outputs, losses and parameters are PyTorch's on each; processes give the bits
# of one that has all workers.
# usage: elsewhere.sh SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES SMEX_ZOO LIBCUDA N model DIR
#        elsewhere.sh .. N training DIR OPTION...
#        elsewhere.sh .. N graph FOLDER REFERENCE COMMAND...    as emulated_cuda_graph.sh
set -euo pipefail
source test/end_to_end/inputs_of.sh
source test/mpi/together.sh
smexc=$1 smex_run=$2 compare=$3 matches=$4 zoo=$5 libcuda=$6 gpus=$7 kind=$8 from=$9
shift 9
work=${TEST_TMPDIR:-$(mktemp -d)}
export TOGETHER_SECONDS=${TOGETHER_SECONDS:-600}
# As many processes as there are workers, but not too many for two cores.
processes=$((gpus < 4 ? gpus : 4))

emulated=$(emulated "$libcuda"):$(cd "$(dirname "$libcuda")/../nccl" && pwd)
mkdir -p "$work/ranks"
# on PLACE OPTION...: runs the plan there.
on() {
  local place=$1
  shift
  case $place in
    reference) "$smex_run" "$@" --backend reference ;;
    cpu) "$smex_run" "$@" --backend cpu ;;
    mpi) together "$processes" "$smex_run" "$@" --backend cpu ;;
    nccl) on_gpus "$gpus" SMEX_EMULATED_PEER=0 "$smex_run" "$@" ;;
    mpi_nccl) on_gpus 1 timeout "$TOGETHER_SECONDS" mpirun -n "$processes" "$smex_run" "$@" ;;
  esac > "$work/$place.log" 2>&1 || fail "$place: status $?: $(tail -n 3 "$work/$place.log")"
}
on_gpus() { # DEVICES COMMAND...
  env LD_LIBRARY_PATH="$emulated" SMEX_EMULATED_DEVICES="$1" SMEX_EMULATED_SEED=7 \
    SMEX_EMULATED_NCCL_FOLDER="$work/ranks" "${@:2}" --backend cuda
}
places=(cpu reference mpi nccl mpi_nccl)

# evaluate PLAN EXPECTED...: files of expected outputs; output_of says of which.
evaluate() {
  local place expected
  for place in "${places[@]}"; do
    on "$place" "$1" "${inputs[@]}" --output-dir "$work/$place"
    for expected in "${@:2}"; do
      "$compare" "$work/$place/$(output_of "$expected")" "$expected" --tolerance 1e-4 > "$work/compared" ||
        fail "$place: $(tail -n 1 "$work/compared")"
    done
  done
  diff -r "$work/cpu" "$work/mpi" || fail "several processes have other bits than one"
}
# train PLAN STEPS LOSSES PARAMETERS OPTION...
train() {
  local place
  for place in "${places[@]}"; do
    on "$place" "$1" "${inputs[@]}" "${@:5}" --steps "$2" --metrics "$work/$place.json" \
      --save-parameters "$work/$place.safetensors"
    "$matches" "$work/$place.json" "$3" "$work/$place.safetensors" "$4" > "$work/compared" ||
      fail "$place: $(tail -n 1 "$work/compared")"
  done
  cmp "$work/cpu.safetensors" "$work/mpi.safetensors" || fail "several processes have other bits than one"
}

compile() { # PLAN ARGUMENT...
  "$smexc" "${@:2}" --gpus "$gpus" --cuda-arch sm_80 -o "$1" > /dev/null
}
case $kind in
  model)
    output_of() { basename "$1"; }
    inputs_of "$from"
    compile "$work/plan" "$file" "${constants[@]}"
    evaluate "$work/plan" "$from"/outputs/*.npy
    ;;
  training)
    inputs_of "$from"
    compile "$work/plan" "$file" "${constants[@]}" --train "$@"
    train "$work/plan" 6 "$from/losses.npy" "$from/parameters"
    ;;
  graph)
    output_of() { echo logits.npy; }
    name=$1
    shift
    graph_of "$from" "$name"
    "$zoo" "$@" -o "$work/model.json" > /dev/null
    compile "$work/eval" "$work/model.json" "${graphs[@]}"
    evaluate "$work/eval" "$from/${name}_logits.npy"
    compile "$work/plan" "$work/model.json" "${graphs[@]}" --train --loss cross_entropy --ignore-index -1 \
      --optimizer adam --lr 0.01 --weight-decay 5e-4
    train "$work/plan" 5 "$from/${name}_losses.npy" "$from/${name}_parameters" \
      --input "labels=$from/$labels.npy"
    ;;
  *) fail "there is no $kind" ;;
esac
for place in nccl mpi_nccl; do
  grep -q cuda "$work/$place.log" || fail "$place: it did not run on GPUs: $(tail -n 1 "$work/$place.log")"
done
