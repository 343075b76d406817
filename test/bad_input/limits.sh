#!/bin/bash
# What the system refuses: a standard output that takes nothing, files that may not
# grow, no descriptors. The status is 4 and the message one line; no signal.
# usage: limits.sh SMEXC SMEX_RUN SMEX_ZOO COMPARE_NPY MODEL_DIR
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 zoo=$PWD/$3 compare=$PWD/$4 model=$PWD/$5/model.onnx x=$PWD/$5/inputs/x.npy
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1
"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"

# unwritten COMMAND...: to a full disk, and to nothing.
unwritten() {
  local status
  "$@" > /dev/full 2> err
  status=$?
  [ $status = 4 ] && grep -q 'error: standard output: cannot write' err ||
    complain "$* > /dev/full: status $status: $(cat err)"
  "$@" >&- 2> err
  status=$?
  [ $status = 4 ] && grep -q 'error: standard output: cannot write' err ||
    complain "$* >&-: status $status: $(cat err)"
}
unwritten "$smexc" --help
unwritten "$smexc" --version
unwritten "$smexc" ops
unwritten "$smexc" ops Conv
unwritten "$smexc" inspect plan
unwritten "$smexc" check plan
unwritten "$smexc" simulate plan --machine h200
unwritten "$smexc" "$model" --gpus 2 --emit semantic
unwritten "$smexc" "$model" --gpus 2 -o other
unwritten "$run" --help
unwritten "$run" plan --output-dir out --metrics metrics.json
unwritten "$zoo" --help
unwritten "$zoo" gcn -o gcn.json
unwritten "$compare" "$x" "$x"
# What is printed has not gone into a file that took the place of standard output.
"$smexc" check other > /dev/null || complain "the plan of a run without standard output"
"$run" plan --output-dir expected > /dev/null
diff -r out expected || complain "outputs of a run without standard output"
grep -q 'ran on' metrics.json && complain "metrics of a run without standard output"

# within LIMIT COMMAND...: done, or status 4 and one line. The dynamic loader's own
# status is 127. The limit is set last: redirections take descriptors, too.
within() {
  local limit=$1 status message
  shift
  # shellcheck disable=SC2086
  message=$(
    exec 2>&1 > /dev/null
    ulimit $limit
    exec "$@"
  )
  status=$?
  case $status in
  0 | 127) ;;
  4) [ "$(wc -l <<< "$message")" = 1 ] && grep -Eq '^(smexc|smex-run): error: ' <<< "$message" || complain "$limit: $*: $message" ;;
  *) complain "$limit: $*: status $status: $message" ;;
  esac
}
compile() { within "$1" "$smexc" "$model" --gpus 2 -o limited; }
execute() { # LIMIT OPTION...
  within "$1" "$run" plan --save-parameters p.safetensors --output-dir out "${@:2}"
}
for kibibytes in 0 1 4 16 64; do
  compile "-f $kibibytes"
  execute "-f $kibibytes"
done
rm -rf limited
(
  ulimit -f 1
  gives 4 'cannot write: File too large|cannot hold temporary files' "$smexc" "$model" --gpus 2 -o limited
  gives 4 'cannot write[a-z ]*: File too large' "$run" plan --save-parameters p.safetensors
  exit $failed
) || failed=1
[ ! -e limited ] || complain "left a plan"
for descriptors in 3 4 5 6 7 8; do
  compile "-n $descriptors"
  execute "-n $descriptors"
done
# Address space: threads' stacks, the library's code and OpenMP's teams get theirs late.
for mebibytes in 40 100 200 300 320 340 360 400 450 500 600 800; do
  compile "-v $((mebibytes * 1024))"
  for threads in 1 3 8; do
    execute "-v $((mebibytes * 1024))" --threads $threads
  done
done
(
  ulimit -v $((200 * 1024))
  gives 4 'ulimit -v leaves [0-9]* MiB of address space, and this program needs 256 MiB' "$run" plan
  exit $failed
) || failed=1
(
  ulimit -v $((340 * 1024))
  gives 4 'are free on this machine and within ulimit -v' "$run" plan --threads 50
  exit $failed
) || failed=1
[ -z "$(find . -name '*.tmp-*')" ] || complain "left $(find . -name '*.tmp-*')"
exit $failed
