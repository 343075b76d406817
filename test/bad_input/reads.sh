#!/bin/bash
# Lambdas of one's own that read beyond an operand, or divide by zero in an index: refused,
# with the node, the operand and the place. Those that stay within: compiled, sound, and right.
# usage: reads.sh SMEXC SMEX_RUN
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

cat > model.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "input", "type": "f32", "shape": [8]}],
 "nodes": [{"op": "mine", "name": "my node", "inputs": ["input"], "outputs": ["y"]}],
 "outputs": ["y"]}
END

# operator BODY, for i < 8 and x of 8 elements
operator() { printf 'mine(x[n]): lambda i < n: %s\n' "$1" > ops.tdl; }

refused() { # MESSAGE BODY
  operator "$2"
  for gpus in 1 3; do
    gives 1 "model.json: node \"my node\": .*$1" "$smexc" model.json --ops ops.tdl --gpus $gpus -o plan
  done
  [ ! -e plan ] || complain "$2 left a plan"
}
x='dimension 0 of "input" has 8 elements, and the index'
refused "$x i0 \+ 1000000000 is 1000000000 where i0 = 0" 'x[i + 1000000000]'
refused "$x i0 \+ 4 is 8 where i0 = 4" 'x[i + 4]'
refused "$x i0 - 1 is -1 where i0 = 0" 'x[i - 1]'
refused "$x .* is 8 where i0 = " 'x[i*i % 9 + 1]'
refused "$x i0 \+ 4 is 8" 'x[i + 4] if i < 5 else 0'
refused "$x i0 \+ 1 is 8" 'x[i + 1] if x[i] > 0 else 0'
refused "$x .* is 8 where i0 = 1, r0 = 7" 'Sum(lambda k < n: x[i + k] where i >= k or k > 6)'
refused 'divides by i0, which may be 0 where i0 = 0' 'x[7 // i]'
refused 'divides by i0 - 3, which may be 0 where i0 = 3' 'x[i % (i - 3)] else 0'
refused 'divides by .*which may be 0' 'x[i // i64(x[0])]'
refused 'calls @topk_values: k is 9.* of 8 elements' '@topk_values(x[:], 9, 1)[i]'
refused 'calls @topk_values: has 5 results, and number 7 is asked for' '@topk_values(x[:], 5, 1)[i]'

# One message for each node, and nothing else.
sed 's/"outputs": \["y"\]}\],/"outputs": ["z"]}, {"op": "mine", "name": "other", "inputs": ["z"], "outputs": ["y"]}],/' \
  model.json > two.json
operator 'x[i + 4]'
message=$("$smexc" two.json --ops ops.tdl --gpus 2 -o plan 2>&1)
[ $? = 1 ] && [ "$(grep -c 'two.json: node "\(my node\|other\)": reads' <<< "$message")" = 2 ] &&
  [ "$(wc -l <<< "$message")" = 2 ] || complain "two faulty nodes: $message"

sound() { # BODY
  operator "$1"
  for gpus in 1 3; do
    "$smexc" model.json --ops ops.tdl --gpus $gpus -o plan > /dev/null &&
      "$smexc" check plan > /dev/null && "$run" plan --verify > /dev/null ||
      complain "$1 on $gpus GPUs"
    rm -rf plan
  done
}
sound 'x[i + 4] else 0'
sound 'x[i + 4] if i < 4 else x[i - 4]'
sound 'x[7 - i]'
sound 'x[(i*i + i) % 7]'
sound 'x[i // (i + 1)]'
sound 'i64(x[i]) // i64(x[n - 1 - i])'
sound 'Sum(lambda k < n: x[i + k] where i + k < n)'
exit $failed
