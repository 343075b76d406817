#!/bin/bash
# Task graphs that are wrong, and placements that cannot be: one message each, which
# names the place.
# usage: task_graphs.sh SMEXC
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

# graph NODES [EDGES [MORE]]: writes graph.json.
graph() {
  printf '{"format": "smex-task-graph", "version": 1, "nodes": [%s], "edges": [%s]%s}\n' \
    "$1" "${2:-}" "${3:-}" > graph.json
}
# refuses MESSAGE [OPTION...]: of graph.json, on two GPUs
refuses() {
  gives 1 "graph.json: $1" "$smexc" place graph.json --gpus 2 "${@:2}"
}
a='{"name": "a", "time": 1, "memory": 8}' b='{"name": "b", "time": 2, "memory": 8}'
ab='{"from": "a", "to": "b", "bytes": 8}' ba='{"from": "b", "to": "a", "bytes": 8}'

graph "$a, $b" "$ab"
"$smexc" place graph.json --gpus 2 > /dev/null || complain "a good graph"

for text in '' '{' '[]' 'null' '{"nodes": []}' '{"format": "smex-plan"}'; do
  printf '%s' "$text" > graph.json
  refuses ''
done
head -c 4096 /dev/zero > graph.json
refuses ''
printf '{"format": "smex-task-graph", "version": 2, "units": "ms"}' > graph.json
refuses 'its version is 2, and this program reads version 1'
graph ''
refuses 'nodes: there are none to place'
graph "$a, $b" "$ab, $ba"
refuses 'the tasks wait for each other in a circle: "[ab]" -> "[ab]" -> "[ab]"'
graph "$a" '{"from": "a", "to": "a", "bytes": 1}'
refuses 'edge 0: task "a" reads itself'
graph "$a, $a"
refuses 'nodes\[1\]: another node is called "a", too'
graph "$a" '' ', "unit": "ms"'
refuses 'has a key "unit", which this version'
graph '{"name": "a", "time": 1, "flops": 3}'
refuses 'nodes\[0\]: has a key "flops", which this version'
graph '{"name": "a", "time": -1}'
refuses 'nodes\[0\].time: must be seconds, from 0 to 1e9'
graph '{"name": "a", "time": 1e999}'
refuses ''
graph '{"name": "a", "time": "1"}'
refuses 'nodes\[0\].time: must be a number'
graph '{"name": "a", "time": 9e8}, {"name": "b", "time": 9e8}'
refuses 'task "b": tasks up to this one take more than 1000000000 seconds'
graph '{"name": "a", "time": 1, "memory": -1}'
refuses 'nodes\[0\].memory: -1 is not in 0 .. '
graph '{"name": "a", "time": 1, "memory": 1.5}'
refuses 'nodes\[0\].memory: must be an integer'
graph '{"name": "", "time": 1}'
refuses 'nodes\[0\]: its name must be text'
graph '{"name": "a\u0007b", "time": 1}'
refuses 'nodes\[0\]: its name must be text'
graph '{"time": 1}'
refuses 'nodes\[0\]: has no "name"'
graph "$a" '{"from": "a", "to": "z", "bytes": 1}'
refuses 'edges\[0\].to: no node is called "z"'
graph "$a" '{"from": "\u001b[31m", "to": "a", "bytes": 1}'
refuses 'edges\[0\].from: no node is called "\?\[31m"'
graph "$a, $b" '{"from": "a", "to": "b", "bytes": -5}'
refuses 'edges\[0\].bytes: -5 is not in'
graph '{"name": "a", "time": 1, "kind": "odd"}'
refuses 'nodes\[0\].kind: must be "normal", "residual" or "reference"'
graph '{"name": "a", "time": 1, "kind": "reference"}'
refuses 'task "a": a reference has a target'
graph "$a, "'{"name": "r", "time": 1, "memory": 8, "kind": "reference", "target": "a"}'
refuses 'nodes\[1\]: a reference has no memory of its own'
graph "$a, "'{"name": "r", "time": 1, "target": "a"}'
refuses 'task "r": a reference has a target, and no other'
graph '{"name": "a", "time": 1, "memory": 8}, {"name": "b", "time": 1, "memory": 8, "overwrites": "a"}' \
  '{"from": "a", "to": "b", "bytes": 4}'
refuses 'task "b" overwrites the output of task "a", and does not read as many bytes of it as it makes'
graph '{"name": "a", "time": 1, "overwrites": "z"}'
refuses 'nodes\[0\].overwrites: no node is called "z"'
graph "$a" '' ', "devices": {"bytes_per_second": 0}'
refuses 'devices.bytes_per_second: must be more than 0'
graph "$a" '' ', "devices": {"memory_bytes": 0}'
refuses 'devices.memory_bytes: 0 is not in'

# Bytes and a rate that are each in range.
for rate in 5e-324 1e-308 1e-9; do
  graph "$a, $b" "$ab" ", \"devices\": {\"bytes_per_second\": $rate}"
  for options in '' --pipeline '--algorithm pardnn' '--algorithm heft' '--algorithm contiguous'; do
    # shellcheck disable=SC2086
    refuses "edge 0: to another device its 8 bytes take .* s at .* bytes per second; at most 1e\\+09 s may be$" $options
  done
done
graph "$a, "'{"name": "b", "time": 2, "gpu": false}' "$ab" ', "devices": {"host_bytes_per_second": 1e-300}'
refuses 'edge 0: to another device its 8 bytes take'

# Each message is one line, and not longer for what it quotes.
printf '{"format": "smex-task-graph", "version": 1, "nodes": [], "edges": [], "a\\nb\\u001b[2J": 1}' > graph.json
refuses 'has a key "a\?b\?\[2J", which this version'
printf '{"format": "smex-task-graph",\n "version": 1,\n "version": 1}' > graph.json
refuses 'line 3, column 10: the key "version" occurs twice'
printf '{"format": "smex-task-graph", "version": 1, "nodes": [{"name": "a", "time": 1e400}]}' > graph.json
refuses 'line 1, column 82: number overflow parsing'
long=$(head -c 100000 /dev/zero | tr '\0' x)
for wrong in "{\"name\": \"$long\", \"time\": 1}, {\"name\": \"$long\", \"time\": 1}" \
  "{\"name\": \"$long\", \"time\": 1, \"kind\": \"reference\"}" \
  "{\"name\": \"a\", \"time\": 1, \"$long\": 1}" \
  "{\"name\": \"a\", \"time\": 1, \"target\": \"$long\"}" \
  "{\"name\": \"a\", \"time\": $(tr x 9 <<< "$long")}"; do
  graph "$wrong"
  refuses ''
  "$smexc" place graph.json --gpus 2 2> message > /dev/null
  [ "$(wc -c < message)" -lt 800 ] || complain "a message of $(wc -c < message) bytes"
done

# What cannot be met.
graph '{"name": "a", "time": 1, "memory": 1000}'
refuses 'task "a" needs 1000 bytes for what it makes and reads, and a GPU has 999; the smallest limit found to work is 1000 bytes' \
  --memory-per-gpu 999
graph '{"name": "a", "time": 1, "together": 1}, {"name": "b", "time": 1, "together": 1, "gpu": false}'
refuses 'task "b" and task "a" have to be on one device, but only one of them has a kernel for GPUs'
graph '{"name": "a", "time": 1, "memory": 60, "kind": "residual", "together": 1}, {"name": "b", "time": 1, "memory": 60, "kind": "residual", "together": 1}'
refuses 'task "a" and what has to be beside it need 120 bytes all the time, and a GPU has 100; the smallest limit found to work is 120 bytes' \
  --memory-per-gpu 100
nodes=
for i in 1 2 3 4 5; do
  nodes+="${nodes:+, }{\"name\": \"n$i\", \"time\": 1, \"memory\": 60, \"kind\": \"residual\"}"
done
graph "$nodes"
refuses 'tasks whose memory is never freed need 300 bytes, and 2 GPUs have 149 each; the smallest limit found to work is 180 bytes' --memory-per-gpu 149
for algorithm in round-robin linear-clustering heft contiguous pipeline pardnn window-search; do
  refuses '.*needs at most 160 bytes of each .*; the smallest limit found to work is 180 bytes' --memory-per-gpu 160 --algorithm "$algorithm"
done

# The command line.
graph "$a, $b" "$ab"
for gpus in 0 -1 1025 x ''; do
  gives 2 gpus "$smexc" place graph.json --gpus "$gpus"
done
gives 2 '--gpus is required' "$smexc" place graph.json
gives 2 'FILE is required' "$smexc" place --gpus 2
gives 2 'no placement algorithm is called "nonsense"; there are ' "$smexc" place graph.json --gpus 2 --algorithm nonsense
gives 2 '--order' "$smexc" place graph.json --gpus 2 --order nonsense
gives 2 'memory-per-gpu "much" is no size' "$smexc" place graph.json --gpus 2 --memory-per-gpu much
gives 1 'nowhere: no such file' "$smexc" place graph.json --gpus 2 --machine nowhere
gives 1 'p3.2xlarge has 1 GPU, not 2' "$smexc" place graph.json --gpus 2 --machine p3.2xlarge
gives 1 'nowhere.json' "$smexc" place nowhere.json --gpus 2
gives 4 'cannot create|/proc/smex' "$smexc" place graph.json --gpus 2 -o /proc/smex/x.json

# A million nodes: long, and wide.
python3 - > graph.json << 'END'
import json
n = 1_000_000
print('{"format": "smex-task-graph", "version": 1, "nodes": [')
print(",\n".join(f'{{"name": "n{i}", "time": {1 + i % 7}e-6, "memory": {i % 100}}}' for i in range(n)))
print('], "edges": [')
print(",\n".join(f'{{"from": "n{i - 1 if i % 1000 else i - 1000}", "to": "n{i}", "bytes": 4}}' for i in range(1000, n)))
print(']}')
END
timeout 300 "$smexc" place graph.json --gpus 4 --algorithm round-robin > large.log ||
  complain "a million nodes: $(tail -1 large.log)"
grep -q 'tasks  *1000000, edges 999000' large.log || complain "a million nodes: $(cat large.log)"
timeout 300 "$smexc" place graph.json --gpus 4 --algorithm pardnn --memory-per-gpu 13500 > large.log ||
  complain "a million nodes, in little memory: $(tail -1 large.log)"
awk '/^peak bytes/ { for (i = 3; i <= NF; i++) if ($i + 0 > 13500) exit 1 }' large.log ||
  complain "a million nodes: more memory than there is: $(cat large.log)"
sed -i '$d' graph.json
echo ', {"from": "n999999", "to": "n999", "bytes": 4}, {"from": "n999", "to": "n1000", "bytes": 4}]}' >> graph.json
refuses 'the tasks wait for each other in a circle: '

# Random edges, which no cut into stages spares: an answer in bounded work, of the load that it has.
python3 - > graph.json << 'END'
import json, random
draw, n = random.Random(5), 40_000
edges = {tuple(sorted(draw.sample(range(n), 2))) for _ in range(2 * n)}
print(json.dumps({"format": "smex-task-graph", "version": 1,
    "nodes": [{"name": f"t{i}", "time": draw.randint(1, 100) * 1e-6} for i in range(n)],
    "edges": [{"from": f"t{a}", "to": f"t{b}", "bytes": draw.randint(1, 1 << 20)} for a, b in sorted(edges)]}))
END
timeout 300 "$smexc" place graph.json --gpus 8 --pipeline --algorithm contiguous -o placed.json > large.log ||
  complain "random edges: $(tail -1 large.log)"
python3 - << 'END' || complain "random edges: $(cat large.log)"
import collections, json, re
graph, placed, said = json.load(open("graph.json")), json.load(open("placed.json")), open("large.log").read()
gpu = {each["name"]: each["device"] for each in placed["nodes"]}
assert len(gpu) == len(graph["nodes"]) and set(gpu.values()) == set(range(8))
load, sent, got = [0.0] * 8, collections.Counter(), collections.Counter()
for node in graph["nodes"]:
    load[gpu[node["name"]]] += node["time"]
for edge in graph["edges"]:
    source, to = edge["from"], gpu[edge["to"]]
    assert gpu[source] <= to, "stages are not in order"
    if gpu[source] != to:  # once to each stage, by as many bytes as its largest reader wants
        sent[source] = max(sent[source], edge["bytes"])
        got[source, to] = max(got[source, to], edge["bytes"])
for source, size in sent.items():
    load[gpu[source]] += size / 1e10
for (_, to), size in got.items():
    load[to] += size / 1e10
largest, bound = (float(re.search(rf"^{words} +([0-9.e+-]+) s", said, re.M)[1]) for words in ("largest load", "lower bound"))
assert abs(max(load) / largest - 1) < 1e-4 and bound <= largest, (max(load), largest, bound)
END
exit $failed
