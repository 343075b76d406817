#!/bin/bash
# --machine: the fastest of several plans on a cluster and on unlike GPUs, never slower than the plan of no machine; bytes by level of links, as the simulation's links say.
# usage: machine.sh SMEXC SMEX_RUN SMEX_ZOO
set -euo pipefail
smexc=$1 smex_run=$2 zoo=$3
work=${TEST_TMPDIR:-$(mktemp -d)}
fail() {
  echo "FAILED: $*"
  exit 1
}
python() { /usr/bin/python3 - "$@"; }
seconds() { # PLAN MACHINE
  "$smexc" simulate "$1" --machine "$2" --json "$work/simulation.json" > /dev/null
  /usr/bin/python3 -c "import json, sys; print(json.load(open(sys.argv[1]))['step_seconds'])" "$work/simulation.json"
}

# Two hosts of four GPUs with a slow network; four GPUs of which two are slow and small.
python "$work" << 'END'
import json, sys
work = sys.argv[1]
device = {"flops": {"f32": 8e12}, "memory_bytes": 1 << 30, "memory_bandwidth": 400e9, "launch_seconds": 5e-6,
          "efficiency": {"contraction": {"most": 0.7, "half_flops": 1e7}}}
small = dict(device, flops={"f32": 2e12}, memory_bytes=1 << 28, memory_bandwidth=100e9)
def machine(name, nodes, links, **more):
    json.dump(dict(format="smex-machine", version=1, name=name, device=device, nodes=nodes, links=links, **more),
              open(f"{work}/{name}.json", "w"))
def link(a, b, rate):
    return {"between": [a, b], "bytes_per_second": rate, "latency_seconds": 2e-6}
hosts = [f"host{h}" for h in range(2)]
gpus = [(h, f"{h}/gpu{g}") for h in hosts for g in range(4)]
machine("hosts", [{"name": g, "kind": "gpu"} for _, g in gpus] + [{"name": h, "kind": "host"} for h in hosts]
        + [{"name": "network", "kind": "switch"}],
        [link(g, h, 20e9) for h, g in gpus] + [link(h, "network", 2e9) for h in hosts])
machine("mixed", [dict(name=f"gpu{i}", kind="gpu", **({"device": "small"} if i % 2 else {})) for i in range(4)]
        + [{"name": "switch", "kind": "switch"}],
        [link(f"gpu{i}", "switch", 20e9) for i in range(4)], devices={"small": small})
machine("many", [dict(name=f"gpu{i}", kind="gpu") for i in range(400)] + [{"name": "switch", "kind": "switch"}],
        [link(f"gpu{i}", "switch", 20e9) for i in range(400)])
END

"$zoo" rnn --layers 1 --hidden 256 --steps 4 --batch 256 -o "$work/rnn.json"
compile() { "$smexc" "$work/rnn.json" --train --loss mse --optimizer adagrad --lr 0.05 "$@"; }

for case in "hosts 8" "mixed 4"; do
  read -r name gpus <<< "$case"
  machine=$work/$name.json plan=$work/$name
  compile --gpus "$gpus" --cuda-arch none -o "$work/plain" > /dev/null
  compile --gpus "$gpus" --cuda-arch none --machine "$machine" -o "$plan" --stats "$work/stats" > "$work/log"
  grep -Eq "ms per step predicted on $name; of [0-9]+ plans [0-9]+ fit; fastest is that of recursive" "$work/log" || fail "$(cat "$work/log")"
  "$smexc" check "$plan" > /dev/null
  "$smex_run" "$plan" --steps 2 --verify > /dev/null || fail "other results on $name"
  compile --gpus "$gpus" --cuda-arch none --machine "$machine" -o "$work/again" > /dev/null
  diff -r "$plan" "$work/again" || fail "another plan of the same model for $name"
  before=$(seconds "$work/plain" "$machine") after=$(seconds "$plan" "$machine")
  echo "$name: $before s for no machine, $after s for this one"
  python "$plan/plan.json" "$work/simulation.json" "$work/stats" "$before" "$name" << 'END'
import json, sys
plan, simulation, stats = (json.load(open(name)) for name in sys.argv[1:4])
before, name = float(sys.argv[4]), sys.argv[5]
after = simulation["step_seconds"]
assert stats["predicted_step_seconds"] == after, (stats, after)
assert after < 0.95 * before, (after, before)
links = plan["machine"]["links"]
assert plan["machine"]["name"] == name
assert sum(level["bytes"] for level in links) == plan["totals"]["communication_bytes"]
if name == "hosts":
    assert [level["gpus"] for level in links] == [4, 8]
    # What the hosts send to the network, and receive from it, is what crosses.
    network = sum(link["forward_bytes"] for link in simulation["links"] if link["to"] == "network")
    assert links[1]["bytes"] == network > 0, (links, network)
END
done

# A limit for each GPU: small parts go where little is.
compile --gpus 4 --cuda-arch none --machine "$work/mixed.json" -o "$work/mixed" > /dev/null
peaks=$(/usr/bin/python3 -c "import json, sys; print(','.join(map(str, json.load(open(sys.argv[1]))['totals']['peak_bytes'])))" "$work/mixed/plan.json")
compile --gpus 4 --cuda-arch none --machine "$work/mixed.json" --memory-per-gpu "$peaks" -o "$work/limited" > /dev/null || fail "its own peaks as limits"
diff -r "$work/mixed" "$work/limited" || fail "another plan within the peaks of the first"
status=0
compile --gpus 4 --cuda-arch none --memory-per-gpu 2KiB,1KiB,2KiB,1KiB -o "$work/none" 2> "$work/err" || status=$?
[ $status = 1 ] && [ ! -e "$work/none" ] || fail "status $status: $(cat "$work/err")"
limits=$(sed -n 's/.* keeps limits of \([0-9,]*\) bytes.*/\1/p' "$work/err")
compile --gpus 4 --cuda-arch none --memory-per-gpu "$limits" -o "$work/kept" > /dev/null || fail "limits that were said to work: $limits"

# The machine's own memory is the limit where none is given.
sed 's/"memory_bytes": [0-9]*/"memory_bytes": 4096/g' "$work/mixed.json" > "$work/tiny.json"
status=0
compile --gpus 4 --cuda-arch none --machine "$work/tiny.json" -o "$work/none" 2> "$work/err" || status=$?
[ $status = 1 ] && grep -q 'more than the memory of a GPU of mixed, 4.00 KiB' "$work/err" || fail "$(cat "$work/err")"

# An algorithm that was asked for is the only one, and its links are counted.
compile --gpus 8 --cuda-arch none --machine "$work/hosts.json" --algorithm tofu -o "$work/tofu" > "$work/log"
grep -q 'of 1 plans 1 fit' "$work/log" || fail "$(cat "$work/log")"
"$smexc" check "$work/tofu" > /dev/null
"$smexc" inspect "$work/tofu" | grep -q 'Links of hosts' || fail "no bytes by level of links"

# A plan of so many GPUs that pieces between all of them would be too many is simulated where few of them get something.
"$zoo" rnn --layers 3 --hidden 16 --steps 3 --batch 8 -o "$work/deep.json"
"$smexc" "$work/deep.json" --train --loss mse --gpus 400 --cuda-arch none --machine "$work/many.json" --algorithm round-robin \
  -o "$work/many" --stats "$work/stats" > "$work/log"
seconds "$work/many" "$work/many.json" > "$work/simulated"
python "$work/stats" "$work/simulation.json" << 'END' || fail "not what is simulated: $(grep predicted "$work/log")"
import json, sys
stats, simulation = (json.load(open(name)) for name in sys.argv[1:])
sys.exit(stats["predicted_step_seconds"] != simulation["step_seconds"])
END
echo "machine: passed"
