#!/bin/bash
# Files of lambdas and JSON that nest without end, or hold no lambdas: a message each.
# usage: lambdas.sh SMEXC
set -uo pipefail
smexc=$PWD/$1
work=${TEST_TMPDIR:-$(mktemp -d)}
ulimit -c 0
cd "$work" || exit 1
failed=0

# repeat TEXT: ten thousand times
repeat() { printf "%.0s$1" {1..10000}; }

refused() { # MESSAGE ARGUMENTS...
  local expected=$1 message status
  shift
  message=$(timeout 60 "$smexc" "$@" --gpus 2 -o plan 2>&1)
  status=$?
  if [ $status != 1 ] || [ -e plan ] || [ "$(wc -l <<< "$message")" != 1 ] ||
    ! grep -q -- "^smexc: error: .*$expected" <<< "$message"; then
    echo "FAILED: $*: status $status: ${message:0:500}"
    failed=1
  fi
}

cat > model.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "x", "type": "f32", "shape": [8]}],
 "nodes": [{"op": "halve", "name": "node", "inputs": ["x"], "outputs": ["y"]}],
 "outputs": ["y"]}
END
head='halve(x[d...]): lambda i... < d...: '
lambda() { # MESSAGE TEXT
  printf '%s\n' "$2" > ops.tdl
  refused "ops.tdl:1:[0-9]*: .*$1" model.json --ops ops.tdl
}
lambda 'nesting deeper' "$head$(repeat '(')x[i...]$(repeat ')')"
lambda 'nesting deeper' "${head}x[i...]$(repeat ' + 1')"
lambda 'nesting deeper' "$head$(repeat '\x2d')x[i...]"
lambda 'nesting deeper' "$head$(repeat 'exp(')x[i...]$(repeat ')')"
lambda 'nesting deeper' "$head$(repeat 'x[')i..."
lambda 'nesting deeper' "$head$(repeat '(x[i...] if i > 0 else ')x[i...]$(repeat ')')"
lambda 'expected' "halve(x[d...]): $(repeat 'lambda i < 4: ')x[i]"
lambda 'out of range' "${head}x[i...] * 1e999999"
lambda 'out of range' "${head}x[i...] * $(repeat 9)"
lambda 'overflow' 'halve(x[d...]): lambda i < 9223372036854775807: x[i*9223372036854775807]'
lambda 'overflow' 'halve(x[d...]): lambda i < 4: Sum(lambda k < 9223372036854775807: x[i])'
lambda '' "$(head -c 3000 "$smexc" | tr '\n\0' '??')"
refused 'missing.tdl' model.json --ops missing.tdl

json() { # MESSAGE TEXT
  printf '%s' "$2" > bad.json
  refused "bad.json.*$1" bad.json
}
json nested "$(repeat '[')"
json nested "{\"format\": $(repeat '{\"a\": ')"
json '' "$(repeat '9')"
json 'node' '{"format": "smex-model", "version": 1, "nodes": [{"op": "Relu", "name": "a\nb", "inputs": [], "outputs": ["y"]}], "outputs": ["y"]}'
text=$(cat model.json)
for ((length = 0; length < ${#text}; length += 5)); do
  json '' "${text:0:length}"
done
exit $failed
