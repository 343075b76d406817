#!/bin/bash
# Control characters, escape sequences and bytes that are no UTF-8, wherever a message
# or a listing quotes a file: the terminal sees none of them, and a message stays a line.
# usage: unclean.sh SMEXC SMEX_RUN MODEL_DIR
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 model=$PWD/$3/model.onnx
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

# is_clean FILE: UTF-8 without control characters but ends of lines.
is_clean() {
  python3 - "$1" << 'END'
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
sys.exit(any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in text))
END
}

# clean MESSAGE COMMAND...: refused, in one clean line.
clean() {
  local expected=$1 status
  shift
  "$@" > /dev/null 2> err
  status=$?
  [ $status = 1 ] && [ "$(wc -l < err)" = 1 ] && is_clean err 2> /dev/null && grep -q -- "$expected" err ||
    complain "$*: status $status: $(cat -v err)"
}

json() { # MESSAGE TEXT
  printf "$2" > model.json
  clean "$1" "$smexc" model.json --gpus 2 -o none
}
start='"format": "smex-model", "version": 1'
escape='\\u001b[31mred\\u0007'
json '?\[31mred?' "{$start, \"$escape\": 1}"
json 'two?smexc: error: lines' "{$start, \"two\\\\nsmexc: error: lines\": 1}"
json 'a??b' "{$start, \"a\\\\u009bb\": 1}"
json 'a?b' "{$start, \"nodes\": [{\"op\": \"Relu\", \"a\\\\u007fb\": []}]}"
json 'f32?\[2J' "{$start, \"inputs\": [{\"name\": \"x\", \"type\": \"f32\\\\u001b[2J\", \"shape\": [8]}]}"
json 'w?\[2J.npy' "{$start, \"parameters\": [{\"name\": \"w\", \"type\": \"f32\", \"shape\": [8], \"file\": \"w\\\\u001b[2J.npy\"}]}"
json 'UTF-8' "{$start, \"\\xff\\xfe\": 1}"
json '' "{$start, \"\\x1b[31m\": 1}"
json 'activ?\[2jation' "{$start, \"inputs\": [{\"name\": \"x\", \"type\": \"f32\", \"shape\": [1, 2, 3]}, {\"name\": \"w\", \"type\": \"f32\", \"shape\": [1, 4, 3]}, {\"name\": \"r\", \"type\": \"f32\", \"shape\": [1, 4, 4]}],
 \"nodes\": [{\"op\": \"RNN\", \"inputs\": [\"x\", \"w\", \"r\"], \"outputs\": [\"y\"], \"attributes\": {\"hidden_size\": 4, \"activations\": [\"activ\\\\u001b[2Jation\"]}}], \"outputs\": [\"y\"]}"

"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"
cp -r plan bad
plan() { # MESSAGE TEXT: of a plan.json
  printf "$2" > bad/plan.json
  for command in "$smexc check" "$smexc inspect" "$run"; do
    clean "$1" $command bad
  done
}
plan 'two?\[31m?lines' '{"two\\u001b[31m\\nlines": 1, "two\\u001b[31m\\nlines": 2}'
plan '' '{"format": "smex-\xff\xfe"}'
printf '{"two\\u001b[31m\\nlines": 1}' > machine.json
clean '' "$smexc" simulate plan --machine machine.json
python3 - << 'END'
import zipfile
with zipfile.ZipFile("a.npz", "w") as archive:
    for name in ("one\x1b[31m\nname", "other\x07"):
        archive.writestr(name + ".npy", b"nothing")
END
clean '' "$run" plan --input x=a.npz
printf 'PK\003\004' > b.npz
clean '' "$run" plan --input "$(printf 'x=\033[31m.npz')"
"$smexc" "$(printf 'm\033[31m.onnx')" --gpus 2 -o none > /dev/null 2> err
is_clean err || complain "the name of a file: $(cat -v err)"
exit $failed
