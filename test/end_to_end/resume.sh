#!/bin/bash
# Training that is killed at any moment and resumed ends with the same bits as
# training that was left alone, on any number of workers.
# usage: resume.sh SMEXC SMEX_RUN MODEL STEPS OPTION...
# MODEL: a file, run on synthetic inputs, or a folder of test/models/training.
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 model=$3 steps=$4
shift 4
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
for gpus in 2 3; do
  "$smexc" "$file" --train "$@" --gpus $gpus --cuda-arch none -o "$work/plan$gpus"
done
# train PLAN OPTION...
train() {
  "$smex_run" "$work/$1" "${inputs[@]}" "${@:2}"
}
# same FILE: as what the uninterrupted run saved.
same() {
  cmp "$work/whole" "$1" || fail "$1 is not what the uninterrupted run saved"
}

train plan2 --steps "$steps" --save-parameters "$work/whole"

# Stopped in the middle, and on: the same batches, the same bits.
half=$((steps / 2))
train plan2 --steps $half --checkpoint-dir "$work/half" --save-parameters "$work/first"
train plan2 --steps "$steps" --checkpoint-dir "$work/half" --resume --save-parameters "$work/second" \
  --verify --metrics "$work/metrics.json" | tee "$work/log"
grep -q "resumes after step $half" "$work/log" || fail "it began anew"
grep -q "\"first_step\": $half" "$work/metrics.json" || fail "metrics without first_step"
same "$work/second"
# Once more, with nothing left to do.
train plan2 --steps "$steps" --checkpoint-dir "$work/half" --resume --save-parameters "$work/third"
same "$work/third"
# The tensors are whole: another plan, with no step left, saves the same.
train plan3 --steps "$steps" --checkpoint-dir "$work/half" --resume --save-parameters "$work/other"
same "$work/other"
# And from the middle it goes on, if with sums in another order.
train plan2 --steps $half --checkpoint-dir "$work/changed"
train plan3 --steps "$steps" --checkpoint-dir "$work/changed" --resume --verify

# Killed: some delays are within the start, some within steps and checkpoints.
killed=0
for delay in 0.01 0.31 0.05 0.23 0.12 0.41 0.08 0.27 0.17 0.53 0.03 0.37; do
  # Not by train(), whose shell would be killed instead.
  "$smex_run" "$work/plan2" "${inputs[@]}" --steps "$steps" --checkpoint-dir "$work/killed" \
    --checkpoint-every 1 --resume --save-parameters "$work/end" > "$work/log" 2>&1 &
  pid=$!
  sleep $delay
  kill -9 $pid 2> /dev/null || true
  status=0
  wait $pid 2> /dev/null || status=$?
  killed=$((killed + (status == 137)))
  [[ $status == 137 || $status == 0 ]] || fail "status $status: $(cat "$work/log")"
  echo "after $delay s: status $status: $(head -1 "$work/log")"
  if [[ $status == 0 ]]; then # it was too fast: from the beginning
    same "$work/end"
    rm -r "$work/killed"
  fi
done
for run in 1 2; do
  train plan2 --steps "$steps" --checkpoint-dir "$work/killed" --checkpoint-every 1 --resume \
    --save-parameters "$work/end"
  same "$work/end"
done
[[ $killed -ge 2 ]] || fail "only $killed runs were killed"
[[ $(ls "$work/killed") == checkpoint.safetensors ]] || fail "left: $(ls "$work/killed")"
