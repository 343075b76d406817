#!/bin/bash
# No two workers of a run touch the same bytes without waiting for each other, and
# no two threads of a worker: the thread sanitizer watches whole runs. That it would
# say so, plans without their waits show.
# usage: races.sh SMEX_RUN_THREAD SMEXC SMEX_ZOO WITHOUT_WAIT LIBRARIES MODELS
set -uo pipefail
run=$PWD/$1 smexc=$PWD/$2 zoo=$PWD/$3 without=$PWD/$4 libraries=$PWD/$5 models=$PWD/$6
work=${TEST_TMPDIR:-$(mktemp -d)}
export TSAN_OPTIONS="suppressions=$libraries halt_on_error=1 exitcode=66"
cd "$work" || exit 1
failed=0
complain() {
  echo "FAILED: $*"
  failed=1
}

# quiet PLAN [OPTION...]: three steps of it, a race is none.
quiet() {
  "$run" "$@" --steps 3 > out.txt 2>&1 || complain "smex-run $*: $(head -40 out.txt)"
}

# compiled NAME ARGUMENTS...: a plan, as it is and on one to three threads a worker.
compiled() {
  local name=$1
  shift
  "$smexc" "$@" -o "$name" > out.txt 2>&1 || { complain "smexc $*: $(cat out.txt)"; return; }
  quiet "$name" --output-dir outputs
  quiet "$name" --threads 3
  quiet "$name" --threads 2 --verify
}

# noticed NAME: without its waits, there is a race.
noticed() {
  cp -r "$1" "$1.none"
  "$without" "$1.none" --all || complain "without_wait $1"
  for _ in 1 2 3 4 5; do
    "$run" "$1.none" --steps 3 > out.txt 2>&1
    grep -q 'WARNING: ThreadSanitizer: data race' out.txt && return
  done
  complain "$1 without its waits: no race is seen"
}

train=(--train --loss cross_entropy --optimizer adam --lr 0.01)
"$zoo" gcn --features 6 --hidden 4 --classes 3 --layers 2 -o gcn.json
"$zoo" transformer --layers 1 --hidden 16 --heads 2 --sequence 6 --vocabulary 11 --batch 4 -o transformer.json
compiled mlp "$models/mlp/model.onnx" --gpus 3 --cuda-arch none
compiled mlp_training "$models/mlp/model.onnx" --gpus 2 --cuda-arch none "${train[@]}"
compiled resnet18 "$models/resnet18/model.onnx" --gpus 4 --cuda-arch none
compiled resnet18_training "$models/resnet18/model.onnx" --gpus 2 --cuda-arch none "${train[@]}"
compiled gcn gcn.json --graph "$models/graph/edges.mtx" --gpus 3 --cuda-arch none
compiled gcn_training gcn.json --graph "$models/graph/edges.mtx" --gpus 2 --cuda-arch none "${train[@]}"
compiled transformer_training transformer.json --gpus 4 --cuda-arch none "${train[@]}"
"$smexc" gcn.json --graph "$models/graph/edges.mtx" --graph-room 0.5 --gpus 2 --cuda-arch none "${train[@]}" -o samples
quiet samples --graph "$models/graph/edges.mtx" --sample 2,2 --batch 2
quiet mlp_training --checkpoint-dir checkpoints --checkpoint-every 1 --save-parameters parameters.safetensors
for plan in mlp mlp_training resnet18 gcn_training transformer_training; do
  noticed "$plan"
done
exit $failed
