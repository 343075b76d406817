#!/bin/bash
# Every model of bad_models is refused: status 1, a message that says what the model's
# maker expects of it, no plan, and the plan that was there unharmed.
# usage: bad_models.sh SMEXC BAD_MODELS GOOD_MODEL
set -uo pipefail
smexc=$PWD/$1 maker=$2 good=$PWD/$3
work=${TEST_TMPDIR:-$(mktemp -d)}
ulimit -c 0
failed=0
complain() {
  echo "FAILED: $*"
  failed=1
}

"$maker" "$work/made/models" || exit 1
"$smexc" "$good" --gpus 2 -o "$work/plan" > /dev/null || exit 1
before=$(cd "$work/plan" && find . -type f -exec sha256sum {} + | sort)
cd "$work/made/models" || exit 1
for model in *.onnx; do
  name=${model%.onnx}
  # Not even limits of what is expanded take long.
  message=$(timeout 15 "$smexc" "$model" --gpus 2 -o "$work/plan" 2>&1)
  status=$?
  [ $status = 1 ] || complain "$name: status $status: $message"
  # Nothing but errors of the tool, each naming the file.
  grep -qv "^smexc: error: $model: " <<< "$message" && complain "$name: $message"
  grep -Ezq -- "$(cat "$name.expect")" <<< "$message" ||
    complain "$name: $message: expected $(cat "$name.expect")"
done

# Weights that are not there are drawn, if they are to be; shapes are not.
for name in initializer_empty weight_undefined external_missing external_offset; do
  "$smexc" $name.onnx --gpus 2 -o "$work/drawn" --draw-missing-weights > /dev/null && "$smexc" check "$work/drawn" > /dev/null ||
    complain "$name: drawn"
done
message=$("$smexc" integers_empty.onnx --gpus 2 -o "$work/drawn" --draw-missing-weights 2>&1)
[ $? = 1 ] && grep -q '"s" is not stored, and cannot be drawn' <<< "$message" || complain "integers are drawn: $message"
rm -rf "$work/drawn"

# Every start of a small model, each a model or a message.
small=matmul.onnx
size=$(stat -c %s $small)
for ((length = 0; length < size; length += 3)); do
  head -c $length $small > cut.onnx
  message=$(timeout 60 "$smexc" cut.onnx --gpus 2 -o "$work/plan" 2>&1)
  status=$?
  [ $status = 1 ] || complain "$length bytes of $small: status $status: $message"
done

after=$(cd "$work/plan" && find . -type f -exec sha256sum {} + | sort)
[ "$before" = "$after" ] || complain "the plan that was there has changed"
[ -z "$(find "$work" -maxdepth 1 -name 'plan.*')" ] || complain "left behind: $(ls "$work")"
exit $failed
