#!/bin/bash
# A process that is killed, hangs, or is told to end, while a plan is trained: the
# others stop within ten seconds, and one of them says which rank it was, what they
# were at, and how to go on. What is on disk is whole, and training goes on from
# there to the same bits.
# usage: lost.sh SMEXC SMEX_RUN MODEL SIGNAL PROCESSES:RANK...
# RANK may be `mpirun`, which then gets the signal itself.
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 model=$3 signal=$4
shift 4
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
"$smexc" "$file" --train --optimizer adam --gpus 8 --cuda-arch none -o "$work/plan"

# The one of this run, by what mpirun has told it.
process_of() { # RANK FOLDER
  local process
  for process in $(pgrep -x smex-run); do
    if tr '\0' '\n' < "/proc/$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
      tr '\0' '\n' < "/proc/$process/cmdline" | grep -qxF "$2"; then
      echo "$process"
    fi
  done 2> /dev/null
}

for case in "$@"; do
  processes=${case%:*} rank=${case#*:}
  folder=$work/ck$processes-$rank
  # 10^9 steps: it ends by what happens to it.
  together "$processes" "$smex_run" "$work/plan" "${inputs[@]}" --steps 1000000000 \
    --checkpoint-dir "$folder" --checkpoint-every 3 > "$work/log" 2> "$work/err" &
  run=$!
  for ((i = 0; i < 600; ++i)); do
    [[ ! -e $folder/checkpoint.safetensors ]] || break
    sleep 0.1
  done
  [[ -e $folder/checkpoint.safetensors ]] || fail "no checkpoint within a minute: $(cat "$work/err")"
  if [[ $rank == mpirun ]]; then
    victim=$(pgrep -x mpirun -P "$(pgrep -P $run)")
  else
    victim=$(process_of "$rank" "$folder")
    [[ -n $victim ]] || fail "there is no rank $rank"
    # What MPI writes to a process that has just ended raises this signal.
    kill -PIPE "$victim"
    sleep 0.2
    [[ $(process_of "$rank" "$folder") == "$victim" ]] || fail "SIGPIPE ends rank $rank unheard"
  fi
  kill -"$signal" "$victim"
  SECONDS=0
  status=0
  wait $run || status=$?
  took=$SECONDS
  kill -KILL "$victim" 2> /dev/null || true
  echo "$processes processes, $signal for rank $rank: status $status after $took s"
  errors "$work/err" | tee "$work/said"
  [[ $took -le 10 ]] || fail "took $took s"
  case $signal:$rank in
    KILL:*) expected=137 ;;
    *:mpirun) expected=1 ;; # its own
    *) expected=4 ;;
  esac
  [[ $status == "$expected" ]] || fail "status $status, $expected expected: $(cat "$work/err")"
  [[ $(wc -l < "$work/said") == 1 ]] || fail "$(wc -l < "$work/said") messages: $(cat "$work/err")"
  at='at instruction [0-9]+ \(.*\) of step [0-9]+'
  others="rank [0-9]+ (waited for worker [0-9]+('s instruction [0-9]+ .*)?|was at instruction .*), worker [0-9]+, which is lost, was "
  case $signal:$rank in
    KILL:*) said="rank $rank \(.*, process $victim\) was lost: its process has ended; $others$at" ;;
    STOP:*) said="rank $rank \(.*, process $victim\) was lost: nothing was heard of it .*; $others$at" ;;
    *:mpirun) said="mpirun told all processes to end by SIGTERM; rank 0 was $at" ;;
    *) said="rank $rank \(.*, process $victim\) was lost: it was told to end by SIGTERM; .*$at" ;;
  esac
  grep -qE "^smex-run: error: $said; go on from the last checkpoint with --resume$" "$work/said" ||
    fail "it does not say who and where"
  for ((i = 0; i < processes; ++i)); do
    [[ -z $(process_of "$i" "$folder") ]] || fail "rank $i is still there"
  done

  # On from there, in fewer processes, some steps further; and without a break.
  [[ $(ls "$folder") == checkpoint.safetensors* ]] || fail "left: $(ls "$folder")"
  done=$(grep -ao '"steps":"[0-9]*"' "$folder/checkpoint.safetensors" | grep -o '[0-9]*')
  steps=$((done + 4))
  together 2 "$smex_run" "$work/plan" "${inputs[@]}" --steps "$steps" --resume \
    --checkpoint-dir "$folder" --checkpoint-every 3 --save-parameters "$work/resumed" > "$work/log"
  grep -q "resumes after step $done" "$work/log" || fail "it began anew"
  "$smex_run" "$work/plan" "${inputs[@]}" --steps "$steps" --save-parameters "$work/whole" > "$work/log"
  cmp "$work/whole" "$work/resumed" || fail "other bits after $steps steps"
  [[ $(ls "$folder") == checkpoint.safetensors ]] || fail "left: $(ls "$folder")"
done
