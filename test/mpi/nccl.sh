#!/bin/bash
# Workers of several processes, each with emulated GPUs of its own: what moves
# between them goes by NCCL, emulated, too. The same counts and instructions as on
# GPUs of one process that reach each other's memory, with --reproducible the same
# bits, else nearly the same numbers, as NCCL adds up in an order of its own; clear
# words where processes cannot have GPUs of their own; and where one is killed or
# hangs, all end, soon, and say which.
# usage: nccl.sh SMEXC SMEX_RUN LIBCUDA LIBNCCL MODEL_DIR GPUS PROCESSES...
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2 libcuda=$3 libnccl=$4 model=$5 gpus=$6
shift 6
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus "$gpus" --cuda-arch sm_80 -o "$work/plan" > /dev/null
cuda=$(emulated "$libcuda") nccl=$(cd "$(dirname "$libnccl")" && pwd)
mkdir "$work/ranks" # processes that are killed leave things behind
export LD_LIBRARY_PATH=$cuda:$nccl SMEX_EMULATED_NCCL_FOLDER=$work/ranks
order=(--reproducible)
# run NAME DEVICES COMMAND...: leaves NAME.* behind.
run() {
  SMEX_EMULATED_DEVICES=$2 "${@:3}" "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda "${order[@]}" \
    --steps 2 --output-dir "$work/$1.out" --metrics "$work/$1.json" --trace "$work/$1.trace" \
    > "$work/$1.log" 2> "$work/$1.err" || fail "$1: status $?: $(cat "$work/$1.err")"
  grep -v '"emulated' "$work/$1.json" > "$work/$1.undevised"
  counted "$work/$1.undevised" > "$work/$1.counts"
  grep -o '"instruction": *[0-9]*\|"tid": *[0-9]*' "$work/$1.trace" | sort > "$work/$1.events"
}
same() { # NAME
  for output in "$work"/one.out/*.npy; do
    cmp "$output" "$work/$1.out/$(basename "$output")" || fail "$1: other bits"
  done
  for what in counts events; do
    diff "$work/one.$what" "$work/$1.$what" || fail "$1: other $what"
  done
}
run one "$gpus" env
for processes in "$@"; do
  run "$processes" 1 together "$processes" # each on a machine of its own
  same "$processes"
done
# Two processes of one machine that share its GPUs.
export SMEX_EMULATED_HOST=here
run shared "$gpus" together 2
same shared

# refused WHAT MESSAGE PROCESSES PROGRAM...
refused() {
  local what=$1 message=$2 status=0
  rm -rf "$work/refused"
  together "${@:3}" "$work/plan" "${inputs[@]}" --backend cuda --output-dir "$work/refused" \
    > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == 4 ]] || fail "$what: exit status $status: $(cat "$work/stderr")"
  [[ $(errors "$work/stderr" | grep -c error:) == 1 ]] || fail "$what: $(cat "$work/stderr")"
  grep -qF -- "$message" "$work/stderr" || fail "$what: says $(cat "$work/stderr")"
  [[ ! -e $work/refused/output0.npy ]] || fail "$what: outputs are written"
}
export SMEX_EMULATED_DEVICES=1
refused "two processes on one GPU" "2 processes share 1 GPU, and NCCL needs one for each" 2 "$smex_run"
unset SMEX_EMULATED_HOST
mkdir -p "$work/lacking"
touch "$work/lacking/libnccl.so.2"
cat > "$work/second_lacks" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != 1 ]] || export LD_LIBRARY_PATH=$cuda:$work/lacking
exec "$smex_run" "\$@"
END
cat > "$work/second_small" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != 1 ]] || export SMEX_EMULATED_MEMORY=4096
exec "$smex_run" "\$@"
END
cat > "$work/second_fails" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != 1 ]] || export SMEX_EMULATED_FAIL_AT=ncclGroupEnd:1:2
exec "$smex_run" "\$@"
END
for rank in 0 1; do
  cat > "$work/alone_$rank" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != $rank ]] || export SMEX_EMULATED_FAIL_AT=ncclCommInitRank:1:2
exec "$smex_run" "\$@"
END
done
cat > "$work/second_older" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != 1 ]] || export SMEX_EMULATED_NCCL=21805
exec "$smex_run" "\$@"
END
cat > "$work/visible" <<END
#!/bin/bash
export SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_HOST=here
visible=(\$VISIBLE)
export CUDA_VISIBLE_DEVICES=\${visible[\$OMPI_COMM_WORLD_RANK]}
exec "$smex_run" "\$@"
END
chmod +x "$work"/second_* "$work"/alone_* "$work/visible"
refused "one process without NCCL" "need NCCL: " 2 "$work/second_lacks"
refused "one GPU that is too small" "error: rank 1: worker 2: GPU 0 (emulated sm_90 device) is too small: its workers need" 2 "$work/second_small"
refused "another NCCL" "has NCCL 2.18.5, and that of worker 0 has 2.28.9: all need the same version" \
  2 "$work/second_older"
VISIBLE="0,1 1" refused "processes that see a GPU in common" "would both use GPU" 2 "$work/visible"
VISIBLE="1 0" together 2 "$work/visible" "$work/plan" "${inputs[@]}" --backend cuda > "$work/stdout" 2>&1 ||
  fail "processes that see a GPU each: $(cat "$work/stdout")"
for rank in 0 1; do
  begin=$SECONDS
  refused "rank $rank does not join" " NCCL: rank $rank: making a communicator: unhandled system error" \
    2 "$work/alone_$rank"
  [[ $((SECONDS - begin)) -le 7 ]] || fail "rank $rank does not join: it takes $((SECONDS - begin)) s"
done
refused "a call that fails" "ncclGroupEnd: unhandled system error" 2 "$work/second_fails"

# named WHAT WHY: one message, which says that rank 2 was lost, why, and at which
# instruction of a step that is not the first one.
named() {
  errors "$work/stderr" | grep error: > "$work/said"
  [[ $(wc -l < "$work/said") == 1 ]] || fail "$1: $(wc -l < "$work/said") messages: $(cat "$work/said")"
  grep -qE "error: rank 2 \(.*\) was lost: ($2).*; rank [01] .*, worker [23], which is lost, was at instruction" "$work/said" ||
    fail "$1: says $(cat "$work/said")"
  [[ $(grep -o 'of step [0-9]*' "$work/said" | tail -n 1 | cut -d' ' -f3) -gt 1 ]] ||
    fail "$1: it names the first step: $(cat "$work/said")"
}
# lost SIGNAL: what the others say when the last of three processes gets it.
cat > "$work/named" <<END
#!/bin/bash
echo \$\$ > "$work/pid.\$OMPI_COMM_WORLD_RANK"
exec "$smex_run" "\$@"
END
chmod +x "$work/named"
lost() {
  rm -f "$work"/pid.* "$work/launches"
  local status=0 begin
  SMEX_EMULATED_RECORD=$work/launches together 3 "$work/named" "$work/plan" "${inputs[@]}" --backend cuda --steps 100000000 \
    > "$work/stdout" 2> "$work/stderr" &
  local run=$!
  for ((i = 0; i < 300; ++i)); do # until it is in its steps
    [[ ! -e $work/launches || $(wc -l < "$work/launches") -lt 1000 ]] || break
    sleep 0.1
  done
  begin=$SECONDS
  kill "-$1" "$(cat "$work/pid.2")"
  wait $run || status=$?
  [[ $((SECONDS - begin)) -le 10 ]] || fail "$1: the others end after $((SECONDS - begin)) s"
  [[ $status != 0 ]] || fail "$1: exit status $status"
  named "$1" 'it|nothing|its process'
  for rank in 0 1; do
    local state=$(sed 's/.*) \(.\).*/\1/' "/proc/$(cat "$work/pid.$rank")/stat" 2> "$work/gone" || true)
    [[ -z $state || $state == Z ]] || fail "$1: rank $rank is left, in state $state"
  done
  kill -KILL "$(cat "$work/pid.2")" 2> "$work/gone" || true
  echo "$1: $(errors "$work/stderr")"
}
lost KILL
lost STOP

# A kernel of rank 2 that never ends, in a later step: the others, which wait for
# it, say that it is this rank, and at which instruction it is; also where it is
# one that packs for NCCL, or unpacks or combines what has come by it.
cat > "$work/last_hangs" <<END
#!/bin/bash
[[ \$OMPI_COMM_WORLD_RANK != 2 ]] || export SMEX_EMULATED_HANG=\$HANG SMEX_EMULATED_LOG=$work/log
exec "$smex_run" "\$@"
END
chmod +x "$work/last_hangs"
hangs() { # KERNEL MESSAGE
  local status=0 begin=$SECONDS
  rm -f "$work/log"
  HANG=$1 SMEX_NCCL_TIMEOUT=2 together 3 "$work/last_hangs" "$work/plan" "${inputs[@]}" --backend cuda \
    --steps 100000000 > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == 4 ]] || fail "$1: exit status $status: $(cat "$work/stderr")"
  grep -q 'hangs as' "$work/log" || fail "$1: nothing hangs"
  [[ $((SECONDS - begin)) -le 10 ]] || fail "$1: they end after $((SECONDS - begin)) s"
  named "$1" "worker [23]: $2 has not completed, and nothing else has for"
  # What it had told the others of is exact, too.
  local which=$(grep -Eo 'instruction [0-9]+' "$work/said" | head -n 1)
  grep -q "which is lost, was at $which (" "$work/said" || fail "$1: not at $which: $(cat "$work/said")"
  echo "$1: $(errors "$work/stderr")"
}
hangs kernel_:40 '.*instruction [0-9]+.*'
for kernel in smex_fetch:22 smex_reduce:12; do
  hangs $kernel 'node ".*": instruction [0-9]+, a kernel that packs, unpacks or combines \(GPU 0\)'
done

# SIGTERM of one process alone: one message, whichever it is.
for rank in 0 2; do
  rm -f "$work"/pid.* "$work/launches"
  SMEX_EMULATED_RECORD=$work/launches together 3 "$work/named" "$work/plan" "${inputs[@]}" --backend cuda \
    --steps 100000000 > "$work/stdout" 2> "$work/stderr" &
  run=$! status=0
  for ((i = 0; i < 300; ++i)); do
    [[ ! -e $work/launches || $(wc -l < "$work/launches") -lt 300 ]] || break
    sleep 0.1
  done
  kill -TERM "$(cat "$work/pid.$rank")"
  wait $run || status=$?
  [[ $status != 0 ]] || fail "SIGTERM of rank $rank: exit status 0"
  [[ $(errors "$work/stderr" | grep -c error:) == 1 ]] || fail "SIGTERM of rank $rank: $(cat "$work/stderr")"
  errors "$work/stderr" |
    grep -qE "error: rank $rank \(.*\) was lost: it was told to end by SIGTERM; .*instruction [0-9]+ \(.*\) of step [0-9]+$" ||
    fail "SIGTERM of rank $rank: $(cat "$work/stderr")"
  echo "SIGTERM of rank $rank: $(errors "$work/stderr")"
done
