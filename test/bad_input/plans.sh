#!/bin/bash
# Plans with a file that was cut off, replaced or changed: whoever reads the plan says
# which file it is.
# usage: plans.sh SMEXC SMEX_RUN MODEL_DIR
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 model=$PWD/$3/model.onnx
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"

# refused FILE: by all that read plans, by this name.
refused() {
  gives 1 "bad/$1: " "$smexc" check bad
  gives 1 "bad/$1: " "$run" bad
  # inspect reads no weights; it does look at their number.
  [[ $1 = *.weights && $(stat -c %s "bad/$1") = $(stat -c %s "plan/$1") ]] ||
    gives 1 "bad/$1: " "$smexc" inspect bad
  cp "plan/$1" "bad/$1"
}

# random BYTES
random() {
  python3 -c 'import random, sys
random.seed(7)
sys.stdout.buffer.write(random.randbytes(int(sys.argv[1])))' "$1"
}

# Changes one bit.
flip() { # FILE AT
  local byte
  byte=$(od -An -tu1 -j "$2" -N1 "$1")
  printf "\\x$(printf %x $((byte ^ 4)))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

cp -r plan bad
files=0
while read -r file; do
  files=$((files + 1))
  size=$(stat -c %s "plan/$file")
  for length in 0 1 $((size / 3)) $((size - 1)); do
    head -c "$length" "plan/$file" > "bad/$file"
    refused "$file"
  done
  for length in "$size" $((size + 7)); do
    random "$length" > "bad/$file"
    refused "$file"
  done
  flip "bad/$file" $((size / 2))
  refused "$file"
  # No file, a folder, and a link to the very bytes.
  rm "bad/$file"
  refused "$file"
  rm "bad/$file" && mkdir "bad/$file"
  gives 1 "bad/$file: " "$run" bad
  rmdir "bad/$file" && ln -s "$work/plan/$file" "bad/$file"
  gives 1 "bad/$file: " "$run" bad
  rm "bad/$file" && cp "plan/$file" "bad/$file"
done < <(cd plan && find . -type f -printf '%P\n')
[ $files -ge 9 ] || complain "a plan of $files files"
"$smexc" check bad > /dev/null || complain "the files put back"

# The model that it was made of, and another one.
"$smexc" check plan --model "$model" > /dev/null || complain "the plan's model"
cp "$model" other.onnx
printf '\x22\x00' >> other.onnx # a domain, empty: the same model in other bytes
gives 3 'plan: interface: plan.json: model.sha256: is .*, the files of other.onnx have ' \
  "$smexc" check plan --model other.onnx
gives 1 'missing.onnx: ' "$smexc" check plan --model missing.onnx
gives 2 '--dim N: give it as NAME=VALUE' "$smexc" check plan --model "$model" --dim N
exit $failed
