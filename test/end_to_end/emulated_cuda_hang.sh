#!/bin/bash
# A kernel that does not end, or a copy, or another wait for a GPU: smex-run says
# on which worker what has not completed, and ends, instead of waiting for ever.
# usage: emulated_cuda_hang.sh SMEXC SMEX_RUN LIBCUDA MODEL_DIR
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 model=$4
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --train --optimizer sgd --lr 0.1 --gpus 3 --cuda-arch sm_80 -o "$work/plan" > /dev/null
export LD_LIBRARY_PATH=$(emulated "$libcuda") SMEX_EMULATED_LOG=$work/log
run() { # HANG OPTION..
  status=0
  rm -f "$work/log"
  SMEX_EMULATED_HANG=$1 SMEX_EMULATED_DEVICES=2 timeout 60 "$smex_run" "$work/plan" \
    --backend cuda --steps 3 "${@:2}" > "$work/stdout" 2> "$work/stderr" || status=$?
}
said() { # WHAT PATTERN
  [[ $status == 4 ]] || fail "$1: exit status $status: $(cat "$work/stderr")"
  grep -Eq "$2" "$work/stderr" || fail "$1: says $(cat "$work/stderr")"
  [[ $(grep -c '^smex-run: error:' "$work/stderr") == 1 ]] || fail "$1: more than one message"
  grep -q 'hangs as' "$work/log" || fail "$1: nothing hangs"
}

# The first of the fetches that hangs is what it names, and not what waits for it.
run smex_fetch:1 --watchdog 0.4
said "a fetch of the first step" 'error: worker [0-2]: node ".*": instruction [0-9]+ \(GPU [01]\) has not completed, and nothing else has for 0.4 s'
number=$(grep -Eo 'instruction [0-9]+' "$work/stderr" | cut -d' ' -f2)
run smex_fetch:1 --watchdog 0.4 --no-cuda-graphs
said "the same without a graph" "instruction $number "
run smex_reduce:1 --watchdog 0.4
said "a reduction" 'worker [0-2]: node '
run launch:60 --watchdog 0.4 --trace "$work/trace"
said "a later launch" 'worker [0-2]: node '

# In a later step: of a graph only that it hangs.
run "of a graph:5" --watchdog 0.4
said "a graph" 'error: a step, which is one CUDA graph \(--no-cuda-graphs tells'

# What the host waits for outside of steps.
run "upload of a graph:1" --watchdog 0.4
said "the upload of a graph" 'error: uploading the graph of a step \(GPU 0\) has not completed'
run "to the device:1" --watchdog 0.4
said "a copy to a GPU" 'error: worker [0-2]: writing to its memory \(GPU [01]\) has not completed'
run "to the host:1" --watchdog 0.4 --output-dir "$work/out"
said "a copy from a GPU" 'error: worker [0-2]: reading from its memory \(GPU [01]\) has not completed'

# A run that has failed, and then cannot end: what it failed by is said.
SMEX_EMULATED_FAIL_AT=cuLaunchKernel:20:1 run smex_fetch:1 --watchdog 0.4
said "a failure, and a fetch" 'launching a kernel: CUDA_ERROR_INVALID_VALUE'

# Nothing hangs, and a short limit does not end what goes on.
run none:1 --watchdog 2
[[ $status == 0 ]] || fail "a run that goes on was ended: $(cat "$work/stderr")"
