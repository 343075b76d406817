#!/bin/bash
# Decoding with a cache: outputs that are the next step's inputs (--feed). What the last step gives is what attention over all
# tokens at once does.
# usage: decode.sh SMEXC SMEX_RUN COMPARE_NPY MODEL_DIR
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 compare=$3 model=$4
work=${TEST_TMPDIR:-$(mktemp -d)}

inputs_of "$model"
for gpus in 1 2 3; do
  "$smexc" "$model/model.onnx" --gpus $gpus -o "$work/plan"
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" "${inputs[@]}" --verify --output-dir "$work/out"
  for name in scores_of_words present_key present_value next_position; do
    "$compare" "$work/out/$name.npy" "$model/outputs/$name.npy" || fail "$name on $gpus"
  done
done

# Step by step, each a run of its own.
cat > "$work/first.py" <<'EOF'
import sys, numpy
tokens = numpy.load(sys.argv[1])
for step, token in enumerate(tokens):
    numpy.save(f"{sys.argv[2]}/token{step}.npy", token)
numpy.save(sys.argv[2] + "/past_key.npy", numpy.zeros((2, 6, 8), numpy.float32))
numpy.save(sys.argv[2] + "/past_value.npy", numpy.zeros((2, 6, 8), numpy.float32))
numpy.save(sys.argv[2] + "/position.npy", numpy.zeros(2, numpy.int64))
EOF
python3 "$work/first.py" "$model/inputs/token.npy" "$work"
for step in 0 1 2 3 4; do
  "$smex_run" "$work/plan" --input token="$work/token$step.npy" --input past_key="$work/past_key.npy" \
    --input past_value="$work/past_value.npy" --input position="$work/position.npy" --output-dir "$work/single"
  mv "$work/single/present_key.npy" "$work/past_key.npy"
  mv "$work/single/present_value.npy" "$work/past_value.npy"
  mv "$work/single/next_position.npy" "$work/position.npy"
done
cmp "$work/single/scores_of_words.npy" "$work/out/scores_of_words.npy" || fail "steps of one run, and runs of a step"

refused() {
  local message=$1 status=0
  shift
  "$smex_run" "$work/plan" --steps 2 "$@" > "$work/log" 2>&1 || status=$?
  [[ $status == 1 ]] && grep -qF -- "$message" "$work/log" || fail "exit $status of $*: $(cat "$work/log")"
}
refused 'the plan has no such input; it has "token"' --feed present_key=past
refused 'the plan has no such output; it has "scores_of_words"' --feed present=past_key
refused 'output "present_key" is f32[2, 6, 8], but input "position" is i64[2]' --feed present_key=position
refused 'input "past_key" is fed twice' --feed present_key=past_key --feed present_value=past_key
python3 - "$work" <<'EOF'
import sys, numpy
numpy.save(sys.argv[1] + "/positions.npy", numpy.zeros((2, 2), numpy.int64))
EOF
refused 'has a value for each step, but --feed gives all but the first one' --feed next_position=position \
  --input position="$work/positions.npy"

# What is fed is held to the input's range.
cat > "$work/walk.json" <<'EOF'
{"format": "smex-model", "version": 1, "inputs": [{"name": "i", "type": "i64", "shape": [1]}],
 "parameters": [{"name": "table", "type": "f32", "shape": [3], "values": [5, 7, 11]},
                {"name": "one", "type": "i64", "shape": [], "values": [1]}],
 "nodes": [{"op": "Gather", "inputs": ["table", "i"], "outputs": ["y"]}, {"op": "Add", "inputs": ["i", "one"], "outputs": ["next"]}],
 "outputs": ["y", "next"]}
EOF
python3 - "$work" <<'EOF'
import sys, numpy
numpy.save(sys.argv[1] + "/i.npy", numpy.zeros(1, numpy.int64))
EOF
"$smexc" "$work/walk.json" --gpus 2 -o "$work/plan"
"$smex_run" "$work/plan" --input i="$work/i.npy" --feed next=i --steps 3 --verify --output-dir "$work/out"
python3 - "$work/out/y.npy" <<'EOF'
import sys, numpy
assert numpy.load(sys.argv[1]).tolist() == [11]
EOF
message='input "i": output "next" of step 3: element [0] is 3, -3 to 2 allowed'
status=0
"$smex_run" "$work/plan" --input i="$work/i.npy" --feed next=i --steps 4 > "$work/log" 2>&1 || status=$?
[[ $status == 1 ]] && grep -qF "error: $message" "$work/log" || fail "exit $status: $(cat "$work/log")"
