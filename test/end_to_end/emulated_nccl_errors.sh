#!/bin/bash
# What can go wrong with NCCL on emulated GPUs: one message each, exit status 4,
# and nothing written. What the plan's waits have become is needed, too.
# usage: emulated_nccl_errors.sh SMEXC SMEX_RUN LIBCUDA LIBNCCL WITHOUT_SYMBOL WITHOUT_WAIT MODEL_DIR
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 libcuda=$3 libnccl=$4 without_symbol=$5 without_wait=$6 model=$7
work=${TEST_TMPDIR:-$(mktemp -d)}
inputs_of "$model"
"$smexc" "$file" "${constants[@]}" --gpus 2 --cuda-arch sm_80 -o "$work/plan" > /dev/null
cuda=$(emulated "$libcuda") nccl=$(cd "$(dirname "$libnccl")" && pwd)
mkdir "$work/ranks"

order=()
# refused WHAT MESSAGE [VARIABLE=VALUE..]
refused() {
  local what=$1 message=$2 status=0
  rm -rf "$work/out"
  env LD_LIBRARY_PATH="$cuda:$nccl" SMEX_EMULATED_PEER=0 SMEX_EMULATED_DEVICES=2 \
    SMEX_EMULATED_NCCL_FOLDER="$work/ranks" "${@:3}" \
    "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda "${order[@]}" --output-dir "$work/out" \
    > "$work/stdout" 2> "$work/stderr" || status=$?
  [[ $status == 4 ]] || fail "$what: exit status $status: $(cat "$work/stderr")"
  grep -qF -- "$message" "$work/stderr" || fail "$what: says $(cat "$work/stderr")"
  [[ $(grep -c '^smex-run: error:' "$work/stderr") == 1 ]] || fail "$what: more than one message"
  [[ ! -e $work/out/output0.npy ]] || fail "$what: outputs are written"
}

refused "an old version" "NCCL is of version 2.17.1, and 2.18.0 is needed" SMEX_EMULATED_NCCL=21701
refused "another major version" "NCCL is of version 3.1.0, and 2.18.0 is needed; install NCCL 2, from 2.18.0 on" \
  SMEX_EMULATED_NCCL=30100
mkdir "$work/lacking" "$work/cut"
head -c 20000 "$libnccl" > "$work/cut/libnccl.so.2"
refused "a library that is cut off" "need NCCL: $work/cut/libnccl.so.2 is cut off: it has 20000 bytes" \
  LD_LIBRARY_PATH="$cuda:$work/cut"
"$without_symbol" "$libnccl" ncclCommSplit "$work/lacking/libnccl.so.2"
refused "an entry point that is missing" "NCCL is too old: libnccl.so.2 has no ncclCommSplit" \
  LD_LIBRARY_PATH="$cuda:$work/lacking"
refused "no id" "NCCL: ncclGetUniqueId: unhandled system error" SMEX_EMULATED_FAIL_AT=ncclGetUniqueId:1:2
# The others wait inside NCCL then, and nobody waits for them.
begin=$SECONDS
for call in 1 2; do
  refused "a rank that does not join, call $call" ": making a communicator: unhandled system error" \
    SMEX_EMULATED_FAIL_AT=ncclCommInitRank:$call:2
done
refused "a group that a rank does not join" ": making the communicator of a group: unhandled system error" \
  SMEX_EMULATED_FAIL_AT=ncclCommSplit:1:2
refused "a GPU that is lost before" "CUDA_ERROR_UNKNOWN" SMEX_EMULATED_FAIL_AT=cuCtxSetCurrent:7:999
[[ $((SECONDS - begin)) -le 12 ]] || fail "failures to join take $((SECONDS - begin)) s"
refused "an operation that fails" "ncclGroupEnd: unhandled cuda error" SMEX_EMULATED_FAIL_AT=ncclGroupEnd:1:1
refused "an all-gather that fails" "ncclAllGather: internal error" SMEX_EMULATED_FAIL_AT=ncclAllGather:1:3
refused "a sum that fails" "ncclReduceScatter: internal error" SMEX_EMULATED_FAIL_AT=ncclReduceScatter:1:3
refused "a send that fails" "ncclSend: invalid argument" SMEX_EMULATED_FAIL_AT=ncclSend:2:4
refused "an error that comes later" "remote process exited" SMEX_EMULATED_FAIL_AT=ncclCommGetAsyncError:1:6
refused "a small GPU" "is too small: its workers need" SMEX_EMULATED_MEMORY=16384
refused "an exchange that hangs" "no progress for 2 s in instruction" SMEX_NCCL_TIMEOUT=2 SMEX_EMULATED_NCCL_HANG=2
grep -q 'rank . (worker .*): .*node "' "$work/stderr" || fail "a hang: says $(cat "$work/stderr")"
# Of the two GPUs, the one that hangs is named, and not the one that waits for it.
hung='worker [01]: node ".*": instruction [0-9]+, a kernel that packs, unpacks or combines \(GPU [01]\) has not completed'
order=(--reproducible) # or else NCCL adds up
for kernel in smex_fetch:3 smex_reduce:2; do
  refused "a hang of $kernel" "has not completed, and nothing else has for" \
    SMEX_NCCL_TIMEOUT=2 SMEX_EMULATED_HANG=$kernel SMEX_EMULATED_LOG="$work/log"
  grep -Eq "$hung" "$work/stderr" || fail "a hang of $kernel: says $(cat "$work/stderr")"
  device=$(grep -Eo 'device [0-9]+ hangs' "$work/log" | grep -Eo '[0-9]+')
  grep -q "(GPU $device)" "$work/stderr" || fail "a hang of $kernel on $device: says $(cat "$work/stderr")"
  rm "$work/log"
done

cp -r "$work/plan" "$work/without"
"$without_wait" "$work/without" --all
rm -r "$work/plan" && mv "$work/without" "$work/plan"
for seed in 0 1 2; do
  refused "a plan without waits, seed $seed" "" SMEX_EMULATED_SEED=$seed
  grep -Eq 'race|never written|nobody has written' "$work/stderr" ||
    fail "without waits, seed $seed: $(cat "$work/stderr")"
done
