#!/bin/bash
# Runs a plan over two hosts that are network namespaces of this machine, with
# process numbers of their own, so that nothing is seen of each other but by
# network: the same bits as in one process; then with a process that is killed,
# and one that hangs. Says so, and ends well, where namespaces are not permitted.
# usage: two_hosts.sh SMEXC SMEX_RUN [MODEL_DIR]
# MODEL_DIR: one of test/models/training.
set -euo pipefail
smexc=$(realpath "$1") smex_run=$(realpath "$2") model=$(realpath "${3:-test/models/training/mlp_sgd}")
work=$(mktemp -d)
net=smex$$

fail() {
  echo "FAILED: $*"
  exit 1
}
clean() {
  for end in a b; do
    ip netns pids $net$end 2> /dev/null | xargs -r kill -KILL 2> /dev/null || true
    ip netns del $net$end 2> /dev/null || true
  done
  rm -rf "$work"
}
trap clean EXIT

for needed in ip unshare mpirun; do
  command -v $needed > /dev/null || { echo "SKIPPED: there is no $needed"; exit 0; }
done
permitted() {
  ip netns add ${net}a && ip netns add ${net}b &&
    ip link add ${net}l type veth peer name ${net}r &&
    ip link set ${net}l netns ${net}a && ip link set ${net}r netns ${net}b &&
    unshare --pid --fork --mount-proc true
}
permitted 2> "$work/why" || { echo "SKIPPED: namespaces are not permitted here: $(tail -1 "$work/why")"; exit 0; }
ip -n ${net}a addr add 10.77.0.1/24 dev ${net}l
ip -n ${net}b addr add 10.77.0.2/24 dev ${net}r
for end in a:l b:r; do
  ip -n $net${end%:*} link set lo up
  ip -n $net${end%:*} link set $net${end#*:} up
done

# Instead of ssh: mpirun's daemon is started in the other namespace.
cat > "$work/agent" << END
#!/bin/bash
shift # the host's name
exec ip netns exec ${net}b unshare --uts --pid --fork --mount-proc --kill-child bash -c "hostname hostb; \$*"
END
chmod +x "$work/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=tcp,vader,self OMPI_MCA_btl_tcp_if_include=10.77.0.0/24
export OMPI_MCA_oob_tcp_if_include=10.77.0.0/24 OMPI_MCA_plm_rsh_agent=$work/agent
# A daemon that left its parent would leave the namespace of processes.
export OMPI_MCA_orte_leave_session_attached=1 OMPI_MCA_plm_rsh_no_tree_spawn=1 OMPI_MCA_hwloc_base_binding_policy=none
printf '10.77.0.1 slots=2\n10.77.0.2 slots=2\n' > "$work/hosts"
# over N PROGRAM...: half of the processes on each host.
over() {
  ip netns exec ${net}a unshare --uts bash -c "hostname hosta; exec timeout 120 mpirun --map-by node --hostfile $work/hosts -n $*"
}
processes_of() {
  ip netns pids "$net$1" | while read -r each; do
    [[ $(cat "/proc/$each/comm" 2> /dev/null) != smex-run ]] || echo "$each"
  done
}

inputs=()
for input in "$model"/inputs/*.npy; do
  inputs+=(--input "$(basename "$input" .npy)=$input")
done
"$smexc" "$model/model.onnx" --train --gpus 4 -o "$work/plan" > "$work/log"
"$smex_run" "$work/plan" "${inputs[@]}" --steps 6 --save-parameters "$work/one" --metrics "$work/one.json" > "$work/log"
over 4 "$smex_run" "$work/plan" "${inputs[@]}" --steps 6 --verify --save-parameters "$work/two" > "$work/log"
cat "$work/log"
cmp "$work/one" "$work/two" || fail "other bits over two hosts"
# Two of three processes on one host, and two of four workers in one process.
over 3 "$smex_run" "$work/plan" "${inputs[@]}" --steps 6 --save-parameters "$work/three" > "$work/log"
cmp "$work/one" "$work/three" || fail "other bits where hosts have unlike numbers of processes"
echo "over two hosts: the bits of one process"

# With a process that sees the other one end, and with none.
for case in 4:KILL 4:STOP 2:KILL 2:CUT; do
  processes=${case%:*} signal=${case#*:}
  rm -rf "$work/ck"
  over $processes "$smex_run" "$work/plan" --steps 1000000000 --checkpoint-dir "$work/ck" \
    --checkpoint-every 5 > "$work/log" 2> "$work/err" &
  run=$!
  for ((i = 0; i < 300; ++i)); do
    [[ ! -e $work/ck/checkpoint.safetensors ]] || break
    sleep 0.1
  done
  [[ -e $work/ck/checkpoint.safetensors ]] || fail "no checkpoint: $(cat "$work/err")"
  victim=$(processes_of b | tail -1)
  SECONDS=0
  if [[ $signal == CUT ]]; then
    # mpirun itself may wait for its daemon for ever; the processes end.
    ip -n ${net}b link set ${net}r down
    while [[ -n $(processes_of a)$(processes_of b) && $SECONDS -le 10 ]]; do sleep 0.1; done
    took=$SECONDS
    ip netns pids ${net}a | xargs -r kill -KILL
    wait $run || true
    status=-
  else
    kill -$signal "$victim"
    status=0
    wait $run || status=$?
    took=$SECONDS
  fi
  echo "$processes processes, $signal on the other host: status $status after $took s"
  grep '^smex-run: ' "$work/err" || fail "nothing was said: $(cat "$work/err")"
  [[ $took -le 10 ]] || fail "took $took s"
  [[ $(grep -c '^smex-run: error: rank [123] .*was lost' "$work/err") == 1 ]] || fail "not one message"
  kill -KILL "$victim" 2> /dev/null || true
done
echo "over two hosts: killed and hung processes are named"
