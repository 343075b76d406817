#!/bin/bash
# --offload: plans that do not keep --memory-per-gpu otherwise move buffers to the host and back, or compute them again: sound, the same results, the bytes that were predicted, on every backend.
# usage: offload.sh SMEXC SMEX_RUN SMEX_ZOO LIBCUDA GPUS
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 zoo=$3 libcuda=$4 gpus=$5
work=${TEST_TMPDIR:-$(mktemp -d)}
number() { # FILE KEY..
  /usr/bin/python3 -c "import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[key]
print(max(value) if isinstance(value, list) else value)" "$@"
}

# What each GPU has in the host's memory is what the plan has room for.
on_host() { # PLAN METRICS
  /usr/bin/python3 -c "import json, sys
plan, metrics = sys.argv[1:]
measured = json.load(open(metrics))['host_peak_bytes']
planned = [json.load(open(f'{plan}/gpu{i}.json'))['host_bytes'] for i in range(len(measured))]
assert planned == measured and min(measured) > 0, (planned, measured)" "$1" "$2"
}

"$zoo" mlp --layers 6 --hidden 32 --input 32 --classes 8 --batch 256 -o "$work/mlp.json"
compile() { "$smexc" "$work/mlp.json" --train --optimizer momentum --lr 0.1 --gpus "$gpus" --algorithm recursive "$@"; }
compile -o "$work/all" > /dev/null
peak=$(number "$work/all/plan.json" totals peak_bytes)

# A limit that is kept anyway changes nothing.
compile --memory-per-gpu "$peak" --offload -o "$work/kept" > /dev/null
diff -r "$work/all" "$work/kept" || fail "another plan, where the first keeps the limit"

# Refused without moves, and, far below, with them: by the largest operator, and with the smallest limit.
limit=$((peak * 6 / 10))
! compile --memory-per-gpu $limit -o "$work/none" 2> /dev/null || fail "$limit of $peak bytes are kept without moves"
status=0
compile --memory-per-gpu 100 --offload -o "$work/none" 2> "$work/err" || status=$?
[[ $status == 1 && ! -e $work/none ]] || fail "status $status: $(cat "$work/err")"
grep -Eq 'even with buffers on the host or computed again; .* its largest operator is "[a-z0-9/ ]+", ' "$work/err" || fail "$(cat "$work/err")"
smallest=$(sed -n 's/.* keeps a limit of \([0-9]*\) bytes.*/\1/p' "$work/err")
(( smallest < limit )) || fail "the smallest limit is said to be $smallest of $peak"

"$smex_run" "$work/all" --backend cpu --steps 3 --save-parameters "$work/all.safetensors" > /dev/null
export LD_LIBRARY_PATH=$(emulated "$libcuda") SMEX_EMULATED_DEVICES=2 SMEX_EMULATED_SEED=5
for bytes in "$limit" "$smallest"; do
  compile --memory-per-gpu "$bytes" --offload -o "$work/plan" > "$work/log" || fail "the limit that was said to work"
  grep -Eq '^moves .* to the host and .* back per run' "$work/log" || fail "$(cat "$work/log")"
  grep -Eq '^moves .*(, the least there is|, at most [0-9.]+ (% above|times) the least; lower bound .*)$' "$work/log" || fail "$(cat "$work/log")"
  (( $(number "$work/plan/plan.json" totals peak_bytes) <= bytes )) || fail "more than $bytes bytes"
  "$smexc" check "$work/plan" > /dev/null
  for backend in cpu reference cuda; do
    "$smex_run" "$work/plan" --backend $backend --steps 3 --verify --metrics "$work/metrics.json" \
      --save-parameters "$work/$backend.safetensors" > "$work/log" || fail "$backend: $(cat "$work/log")"
    for key in to_host_bytes from_host_bytes; do
      [[ $(number "$work/metrics.json" $key) == $(number "$work/plan/plan.json" totals $key) ]] || fail "$backend: other $key"
    done
    [[ $(number "$work/metrics.json" peak_bytes) == $(number "$work/plan/plan.json" totals peak_bytes) ]] || fail "$backend: another peak"
    on_host "$work/plan" "$work/metrics.json" || fail "$backend: other memory of the host"
  done

  # Moves change no bit.
  cmp "$work/all.safetensors" "$work/cpu.safetensors" || fail "other parameters"
  "$smexc" simulate "$work/plan" --machine dgx-h100 --json "$work/simulated.json" > /dev/null
  [[ $(number "$work/simulated.json" to_host_bytes) == $(number "$work/plan/plan.json" totals to_host_bytes) ]] || fail "simulated: other bytes"
done

# The smaller the limit, the more moves.
compile --memory-per-gpu "$limit" --offload -o "$work/more" > /dev/null
(( $(number "$work/more/plan.json" totals to_host_bytes) < $(number "$work/plan/plan.json" totals to_host_bytes) )) || fail "no fewer moves in more memory"

# Weights and momentum, which are nearly all that this step needs, wait on the host from one step to the next.
"$zoo" mlp --layers 6 --hidden 256 --input 256 --classes 256 --batch 16 -o "$work/mlp.json"
compile -o "$work/wide" > /dev/null
limit=$(( $(number "$work/wide/plan.json" totals peak_bytes) * 45 / 100 ))
! compile --memory-per-gpu $limit -o "$work/none" 2> /dev/null || fail "$limit bytes are enough without moves"
compile --memory-per-gpu $limit --offload -o "$work/narrow" > /dev/null
/usr/bin/python3 -c "import json, sys
program = json.load(open(sys.argv[1]))
buffers, parameters = program['buffers'], program['parameters']
there = [each for each in parameters if buffers[each['buffer']].get('space') == 'host']
assert len(there) > 2 and any(each.get('state') for each in there), there
assert all(buffers[each['next']].get('space') == 'host' for each in there if 'next' in each), there" "$work/narrow/program.json" || fail "no weights or no momentum on the host"
"$smexc" check "$work/narrow" > /dev/null
"$smex_run" "$work/wide" --backend cpu --steps 3 --save-parameters "$work/wide.safetensors" > /dev/null
for backend in cpu reference cuda; do
  "$smex_run" "$work/narrow" --backend $backend --steps 3 --verify --metrics "$work/metrics.json" \
    --save-parameters "$work/$backend.safetensors" --checkpoint-dir "$work/$backend" --checkpoint-every 2 > "$work/log" || fail "$backend: $(cat "$work/log")"
  for key in to_host_bytes from_host_bytes peak_bytes; do
    [[ $(number "$work/metrics.json" $key) == $(number "$work/narrow/plan.json" totals $key) ]] || fail "$backend: other $key"
  done
  on_host "$work/narrow" "$work/metrics.json" || fail "$backend: other memory of the host"
done
cmp "$work/wide.safetensors" "$work/cpu.safetensors" || fail "other parameters"
# A checkpoint has what is on the host, too, and a resumed run ends alike.
"$smex_run" "$work/narrow" --backend cpu --steps 3 --checkpoint-dir "$work/cpu" --resume --save-parameters "$work/resumed.safetensors" > /dev/null
cmp "$work/wide.safetensors" "$work/resumed.safetensors" || fail "other parameters after resuming"

# Where the way to the host is slow, buffers are computed again: alone, and beside moves, in less memory.
/usr/bin/python3 - > "$work/slow.json" <<'END'
import json
gpus = [f"gpu{i}" for i in range(3)]
print(json.dumps({
    "format": "smex-machine", "version": 1, "name": "slow-host",
    "device": {"flops": {"f32": 1e13}, "memory_bytes": 1 << 34, "memory_bandwidth": 1e12, "launch_seconds": 1e-6},
    "nodes": [{"name": name, "kind": "gpu"} for name in gpus] + [{"name": "host", "kind": "host"}],
    "links": [{"between": [name, "host"], "bytes_per_second": 1e9} for name in gpus]}))
END
"$zoo" mlp --layers 6 --hidden 32 --input 32 --classes 8 --batch 256 -o "$work/mlp.json"
slow() { compile --machine "$work/slow.json" "$@"; }
slow -o "$work/slow" > /dev/null
peak=$(number "$work/slow/plan.json" totals peak_bytes)
"$smex_run" "$work/slow" --backend cpu --steps 3 --save-parameters "$work/slow.safetensors" > /dev/null
for case in "recompute 70" "both 65"; do
  read -r choices percent <<< "$case"
  slow --memory-per-gpu $((peak * percent / 100)) --offload=$choices -o "$work/again" > "$work/log"
  grep -Eq '^recomputes [1-9][0-9]* of [0-9]+ instructions, [0-9.e-]+ ms per run' "$work/log" || fail "$choices: $(cat "$work/log")"
  [[ $choices == both ]] || ! grep -q '^moves' "$work/log" || fail "moves where only recomputation is asked for"
  (( $(number "$work/again/plan.json" search recomputing bytes) > 0 )) || fail "no bytes for what is computed again"
  "$smexc" inspect "$work/again" | grep -q '^  recomputes ' || fail "inspect does not say what is computed again"
  "$smexc" check "$work/again" > /dev/null
  for backend in cpu reference cuda; do
    "$smex_run" "$work/again" --backend $backend --steps 3 --verify --metrics "$work/metrics.json" \
      --save-parameters "$work/$backend.safetensors" > "$work/log" || fail "$choices, $backend: $(cat "$work/log")"
    [[ $(number "$work/metrics.json" peak_bytes) == $(number "$work/again/plan.json" totals peak_bytes) ]] || fail "$choices, $backend: another peak"
  done
  cmp "$work/slow.safetensors" "$work/cpu.safetensors" || fail "$choices: other parameters"
done
# Moves alone take longer there, in the same memory.
slow --memory-per-gpu $((peak * 65 / 100)) --offload=moves -o "$work/moves" > /dev/null
for plan in again moves; do
  "$smexc" simulate "$work/$plan" --machine "$work/slow.json" --json "$work/$plan.json" > /dev/null
done
/usr/bin/python3 -c "import json, sys
again, moves = (json.load(open(path)) for path in sys.argv[1:])
assert again['step_seconds'] < moves['step_seconds'], (again['step_seconds'], moves['step_seconds'])
assert again['recomputed_seconds'] > 0 and 'recomputed_seconds' not in moves" "$work/again.json" "$work/moves.json" || fail "no faster than moves alone"
# In whatever memory, both are no slower than moves alone.
for percent in 80 60 50; do
  for choices in both moves; do
    slow --memory-per-gpu $((peak * percent / 100)) --offload=$choices -o "$work/again" > "$work/$choices.log"
    sed -n 's/^\([0-9.e-]*\) ms per step predicted.*/\1/p' "$work/$choices.log" > "$work/$choices.ms"
  done
  /usr/bin/python3 -c "import sys
both, moves = (float(open(path).read()) for path in sys.argv[1:])
assert both <= moves, (both, moves)" "$work/both.ms" "$work/moves.ms" || fail "both are slower than moves alone in $percent % of the memory"
done
status=0
compile --memory-per-gpu 100 --offload=neither -o "$work/none" 2> "$work/err" || status=$?
[[ $status == 2 ]] || fail "status $status: $(cat "$work/err")"

# Where no placement keeps the limit by itself, buffers of one wait on the host.
placed() { "$smexc" "$work/mlp.json" --train --optimizer momentum --lr 0.1 --gpus 2 --algorithm heft --cuda-arch none "$@"; }
placed -o "$work/all" > /dev/null
limit=$(($(number "$work/all/plan.json" totals peak_bytes) * 6 / 10))
! placed --memory-per-gpu $limit -o "$work/none" 2> /dev/null || fail "$limit bytes are kept by a placement alone"
placed --memory-per-gpu $limit --offload -o "$work/plan" > "$work/log" || fail "no placement with buffers on the host"
grep -Eq '^moves .* to the host and .* back per run' "$work/log" || fail "$(cat "$work/log")"
"$smexc" check "$work/plan" > /dev/null
for plan in all plan; do
  "$smex_run" "$work/$plan" --backend cpu --steps 3 --verify --save-parameters "$work/$plan.safetensors" > /dev/null
done
cmp "$work/all.safetensors" "$work/plan.safetensors" || fail "a placement with buffers on the host: other parameters"

# Without a limit there is nothing to decide by.
status=0
compile --offload -o "$work/none" 2> "$work/err" || status=$?
[[ $status == 2 ]] && grep -q 'give what there is of memory' "$work/err" || fail "status $status: $(cat "$work/err")"
echo passed
