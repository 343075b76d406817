#!/bin/bash
# Where a file is expected, there is a device, a pipe or a link: programs write to what
# is no file, leave links, and do not wait for what never comes.
# usage: files.sh SMEXC SMEX_RUN SMEX_ZOO MODEL_DIR
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 zoo=$PWD/$3 model=$PWD/$4/model.onnx x=$PWD/$4/inputs/x.npy
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1
"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"

holds_json() { grep -q '^{' "$1" && grep -q '^}' "$1"; }
# through OPTION COMMAND...: writes through links.
through() {
  local option=$1
  shift
  rm -rf inner link new dangling
  mkdir inner
  echo old > inner/real
  chmod 640 inner/real
  ln -s inner/real link
  "$@" "$option" link > /dev/null || complain "$option link"
  [ -L link ] && [ ! -L inner/real ] && [ "$(cat inner/real)" != old ] ||
    complain "$option: the link was replaced: $(ls -l link inner)"
  [ "$(stat -c %a inner/real)" = 640 ] || complain "$option: the file has another mode"
  ln -s new dangling
  "$@" "$option" dangling > /dev/null || complain "$option dangling"
  [ -L dangling ] && [ -f new ] || complain "$option: a link to nothing was replaced"
  [ "$(find . -name '*.tmp-*')" = '' ] || complain "$option: left $(find . -name '*.tmp-*')"
}
through --metrics "$run" plan
through --trace "$run" plan
through --save-parameters "$run" plan
through --stats "$smexc" "$model" --gpus 2 -o plan
through --json "$smexc" simulate plan --machine h200
through --trace "$smexc" simulate plan --machine h200
ln -s real.json link.json
"$zoo" gcn -o link.json > /dev/null || complain "smex-zoo"
[ -L link.json ] && holds_json real.json || complain "smex-zoo replaced a link"
mkdir inner/plan && ln -s inner/plan linked
"$smexc" "$model" --gpus 2 -o linked > /dev/null || complain "a link to a folder"
[ -L linked ] && [ -e inner/plan/plan.json ] || complain "a link to a folder was replaced"
ln -s circle circle
gives 4 'circle: cannot write: Too many levels' "$run" plan --metrics circle
gives 4 'inner: cannot write: Is a directory' "$run" plan --metrics inner
gives 4 'inner: cannot write: Is a directory' "$run" plan --trace inner
gives 1 'inner: is a folder' "$run" plan --save-parameters inner

# A pipe is written to, and so is a device.
mkfifo pipe
for option in --metrics --trace --save-parameters; do
  timeout 20 cat pipe > got &
  timeout 20 "$run" plan $option pipe > /dev/null || complain "$option pipe"
  wait
  [ -p pipe ] && [ -s got ] || complain "$option: no pipe any more, or nothing came"
done
gives 4 'pipe: is a pipe that nobody reads' "$run" plan --metrics pipe
"$run" plan --metrics >(cat > got) > /dev/null || complain "process substitution"
"$run" plan --metrics /dev/stdout > log || complain "standard output"
grep -q 'ran on' log && holds_json log || complain "standard output: $(cat log)"
if mknod null c 1 3 2> /dev/null && [ -w null ]; then
  for option in --metrics --trace --save-parameters; do
    "$run" plan $option null > /dev/null || complain "$option null"
    [ -c null ] || complain "$option replaced a device"
  done
fi

# What reads a pipe that nobody writes to says so after a while; in parallel, for that
# takes seconds.
(
  mkfifo x.npy model.onnx model.json machine.json ops.tdl graph.txt
  "$zoo" gcn -o gcn.json > /dev/null
  gives 1 'x.npy: is a pipe that nobody writes to' "$run" plan --input x=x.npy &
  gives 1 'machine.json: is a pipe that nobody writes to' "$smexc" simulate plan --machine machine.json &
  gives 1 'ops.tdl: is a pipe that nobody writes to' "$smexc" "$model" --gpus 2 -o none --ops ops.tdl &
  gives 1 'graph.txt: is a pipe that nobody writes to' "$smexc" gcn.json --gpus 2 -o none --graph graph.txt &
  gives 1 'model.onnx: is a device or pipe' "$smexc" model.onnx --gpus 2 -o none &
  gives 1 'model.json: is a device or pipe' "$smexc" model.json --gpus 2 -o none &
  wait
) > pipes 2>&1
[ -s pipes ] && complain "$(cat pipes)"
# One that somebody writes to, however late and in pieces.
mkfifo late.npy
{ sleep 1; head -c 100 "$x"; sleep 1; tail -c +101 "$x"; } > late.npy &
"$run" plan --input x=late.npy --output-dir late > /dev/null || complain "a pipe that is written late"
"$run" plan --input x="$x" --output-dir whole > /dev/null
diff -r late whole > /dev/null || complain "a pipe that is written in pieces"
exit $failed
