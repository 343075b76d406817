#!/bin/bash
# Functions of whole slices on GPUs that are emulated: those of a batch on several,
# ones of which some GPUs have none, and of slices without elements. What comes out
# is what the CPU has, to the bit. Kernels touch nothing but their buffers and the
# scratch memory that the plan says.
# usage: emulated_opaque.sh SMEXC SMEX_RUN LIBCUDA KNOWN_LAUNCHES
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 known=$4
work=${TEST_TMPDIR:-$(mktemp -d)}

cat > "$work/ops.tdl" << 'END'
d(x[b..., n, n]): lambda i... < b...: @det(x[i..., :, :])[]
k(boxes[n, m, 4], scores[n, c, m]):
    lambda i < n, k < c, j < m: @unsuppressed_boxes(boxes[i, :, :], scores[i, k, :], 4.0, 0.2, -1.0, 1.0, 0.0)[j]
q(x[n, m]): lambda j < n: @unique_numbers(x[:, :], 0)[j]
r(x[n, m]): lambda j < n: @unique_numbers(x[:, :], 1)[j]
t(x[n, m]): lambda i < n, j < 3: @topk_values(x[i, :], 3, 1)[j]
END
cat > "$work/model.json" << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [
  {"name": "matrices", "type": "f32", "shape": [7, 12, 12]},
  {"name": "one", "type": "f64", "shape": [1, 1, 1]},
  {"name": "none", "type": "f32", "shape": [0, 3, 3]},
  {"name": "nothing", "type": "f32", "shape": [3, 0, 0]},
  {"name": "boxes", "type": "f32", "shape": [5, 9, 4]},
  {"name": "scores", "type": "f32", "shape": [5, 3, 9]},
  {"name": "no boxes", "type": "f32", "shape": [5, 0, 4]},
  {"name": "no scores", "type": "f32", "shape": [5, 3, 0]},
  {"name": "numbers", "type": "i8", "shape": [400, 1]},
  {"name": "rows", "type": "bool", "shape": [40, 3]},
  {"name": "rows of scores", "type": "f32", "shape": [5, 27]}],
 "nodes": [
  {"op": "d", "name": "det", "inputs": ["matrices"], "outputs": ["a"]},
  {"op": "d", "name": "det of one", "inputs": ["one"], "outputs": ["b"]},
  {"op": "d", "name": "no det", "inputs": ["none"], "outputs": ["c"]},
  {"op": "d", "name": "det of nothing", "inputs": ["nothing"], "outputs": ["e"]},
  {"op": "k", "name": "boxes", "inputs": ["boxes", "scores"], "outputs": ["f"]},
  {"op": "k", "name": "no boxes", "inputs": ["no boxes", "no scores"], "outputs": ["g"]},
  {"op": "q", "name": "unique", "inputs": ["numbers"], "outputs": ["h"]},
  {"op": "r", "name": "unique rows", "inputs": ["rows"], "outputs": ["i"]},
  {"op": "t", "name": "best", "inputs": ["rows of scores"], "outputs": ["j"]}],
 "outputs": ["a", "b", "c", "e", "f", "g", "h", "i", "j"]}
END

export LD_LIBRARY_PATH=$(emulated "$libcuda")
for gpus in 1 2 3 8; do
  plan=$work/plan$gpus
  "$smexc" "$work/model.json" --ops "$work/ops.tdl" --gpus "$gpus" -o "$plan" > /dev/null
  "$smexc" check "$plan"
  "$smex_run" "$plan" --backend cpu --seed 4 --output-dir "$work/cpu$gpus" > /dev/null
  for devices in 1 "$gpus"; do
    "$known" "$plan" sm_80 "$devices" > "$work/launches"
    [[ -s $work/launches ]] || fail "the plan for $gpus launches nothing"
    SMEX_EMULATED_LAUNCHES=$work/launches SMEX_EMULATED_DEVICES=$devices SMEX_EMULATED_SEED=$gpus \
      "$smex_run" "$plan" --backend cuda --seed 4 --verify --output-dir "$work/cuda" --metrics "$work/metrics.json"
    grep -q emulated "$work/metrics.json" || fail "the metrics do not say that the GPU is emulated"
    for name in a b c e f g h i j; do
      cmp "$work/cuda/$name.npy" "$work/cpu$gpus/$name.npy" && cmp "$work/cuda/$name.npy" "$work/cpu1/$name.npy" ||
        fail "$name differs on $gpus GPUs that are $devices devices"
    done
    rm -rf "$work/cuda"
  done
done
