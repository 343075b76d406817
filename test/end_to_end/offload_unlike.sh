#!/bin/bash
# --offload where workers are unlike: those that have room move nothing, the
# others what they lack, in one plan: sound, the same bits, the bytes that were
# predicted.
# usage: offload_unlike.sh SMEXC SMEX_RUN SMEX_ZOO GPUS
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$PWD/$1 run=$PWD/$2 zoo=$PWD/$3 gpus=$4
cd "${TEST_TMPDIR:-$(mktemp -d)}"

# Most edges lead to the first vertices, which are the first worker's.
awk 'BEGIN { srand(1); for (e = 0; e < 1500; e++) print int(200 * rand()), int(200 * rand() * rand() * rand()) }' > edges.txt
echo "199 199" >> edges.txt
"$zoo" gcn --layers 4 --features 16 --hidden 16 --classes 5 -o gcn.json
compile() {
  "$smexc" gcn.json --graph edges.txt --gpus "$gpus" --cuda-arch none --graph-partition equal-vertices --algorithm recursive \
    --train --loss cross_entropy --ignore-index -1 "$@"
}
momentum=(--optimizer momentum --lr 0.1)
compile "${momentum[@]}" -o all > /dev/null
"$run" all --steps 3 --save-parameters all.safetensors > /dev/null

for choices in moves both; do
  limits=$(/usr/bin/python3 -c "import json
first, *others = json.load(open('all/plan.json'))['totals']['peak_bytes']
print(','.join([str(first * 65 // 100)] + [str(bytes * 3 // 2) for bytes in others]))")
  compile "${momentum[@]}" --memory-per-gpu "$limits" --offload=$choices -o plan > log
  "$smexc" check plan > /dev/null
  /usr/bin/python3 -c "import json
program, totals = json.load(open('plan/program.json')), json.load(open('plan/plan.json'))['totals']
assert totals['to_host_bytes'] > 0 and totals['from_host_bytes'] > 0, totals
host = [json.load(open(f'plan/gpu{i}.json')).get('host_bytes', 0) for i in range($gpus)]
assert host[0] > 0 and not any(host[1:]), host
kept = [buffer['kept'] for buffer in program['buffers'] if 'kept' in buffer]
assert any('as' in each for each in kept) and any('as' not in each for each in kept), kept
assert all(each['on'] == list(range(1, $gpus)) for each in kept), kept"
  for backend in cpu reference; do
    "$run" plan --backend $backend --steps 3 --verify --metrics metrics.json --save-parameters $backend.safetensors > log || fail "$backend: $(cat log)"
    /usr/bin/python3 -c "import json
measured, totals = json.load(open('metrics.json')), json.load(open('plan/plan.json'))['totals']
for key in ('to_host_bytes', 'from_host_bytes', 'peak_bytes'):
    assert measured[key] == totals[key], (key, measured[key], totals[key])
host = [json.load(open(f'plan/gpu{i}.json')).get('host_bytes', 0) for i in range($gpus)]
assert measured['host_peak_bytes'] == host, (measured['host_peak_bytes'], host)"
  done
  cmp all.safetensors cpu.safetensors || fail "$choices: other parameters"
  "$smexc" simulate plan --machine dgx-h100 --json simulated.json > /dev/null
  /usr/bin/python3 -c "import json
simulated, totals = json.load(open('simulated.json')), json.load(open('plan/plan.json'))['totals']
assert simulated['to_host_bytes'] == totals['to_host_bytes'], (simulated, totals)"
done
"$smexc" inspect plan --gpu 1 > listing
grep -q ' kept as #' listing || fail "inspect does not say what is kept"

# Each lacks some, and two store alike in opposite orders where a third goes on.
if [ "$gpus" = 3 ]; then
  awk 'BEGIN { srand(7); for (e = 0; e < 600; e++) print int(100 * rand()), int(100 * rand() ^ 2) }' > edges.txt
  echo "99 99" >> edges.txt
  "$zoo" gcn --layers 4 --features 8 --hidden 8 --classes 3 -o gcn.json
  adam=(--optimizer adam --lr 0.01)
  compile "${adam[@]}" -o all > /dev/null
  "$run" all --steps 3 --save-parameters all.safetensors > /dev/null
  for percent in 75,75,75 85,85,85 60,70,80; do
    limits=$(/usr/bin/python3 -c "import json
peaks = json.load(open('all/plan.json'))['totals']['peak_bytes']
print(','.join(str(bytes * share // 100) for bytes, share in zip(peaks, ($percent))))")
    compile "${adam[@]}" --memory-per-gpu "$limits" --offload -o plan > log || fail "$percent %, $limits: $(cat log)"
    "$smexc" check plan > /dev/null
    "$run" plan --steps 3 --verify --save-parameters cpu.safetensors > log || fail "$percent %: $(cat log)"
    cmp all.safetensors cpu.safetensors || fail "$percent %: other parameters"
  done
fi
echo passed
