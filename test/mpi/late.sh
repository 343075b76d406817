#!/bin/bash
# A process that is killed, hangs or is late before MPI has begun, or while it
# begins: the others end within ten seconds, with one message of who is missing.
# usage: late.sh SMEXC SMEX_RUN
set -euo pipefail
source test/end_to_end/inputs_of.sh
source "$(dirname "$0")/together.sh"
smexc=$1 smex_run=$2
work=${TEST_TMPDIR:-$(mktemp -d)}
model=test/models/training/mlp_sgd
inputs_of "$model"
"$smexc" "$file" --train --optimizer sgd --gpus 4 --cuda-arch none -o "$work/plan"

# What happens to which rank, and whether the program has begun then. `late`
# keeps the others in MPI_Init for so long.
cat > "$work/program" << END
#!/bin/bash
echo \$\$ > "$work/pid.\$OMPI_COMM_WORLD_RANK"
[[ \$OMPI_COMM_WORLD_RANK != "\$VICTIM" ]] || case \$DOES in
  stop) kill -STOP \$\$ ;;
  kill) kill -KILL \$\$ ;;
  end) exit 0 ;;
  sleep) sleep 60 ;;
esac
[[ \$OMPI_COMM_WORLD_RANK != "\${LATE:-}" ]] || sleep 4
exec "$smex_run" "\$@"
END
chmod +x "$work/program"

# begin DOES VICTIM [VARIABLE=VALUE..]
begin() {
  rm -f "$work"/pid.*
  SECONDS=0
  env DOES="$1" VICTIM="$2" "${@:3}" timeout -k 5 60 mpirun -n 3 "$work/program" "$work/plan" \
    "${inputs[@]}" --steps 2 > "$work/log" 2> "$work/err" &
  run=$!
}
# ends WHAT STATUS MESSAGE: both as regular expressions
ends() {
  local status=0 took
  wait $run || status=$?
  took=$SECONDS
  errors "$work/err" > "$work/said"
  echo "$1: status $status after $took s: $(cat "$work/said")"
  [[ $took -le 10 ]] || fail "$1: took $took s"
  [[ $status =~ ^($2)$ ]] || fail "$1: status $status: $(cat "$work/err")"
  [[ $(wc -l < "$work/said") == 1 ]] || fail "$1: not one message: $(cat "$work/err")"
  grep -qE "^smex-run: error: $3" "$work/said" || fail "$1: does not say: $3"
  [[ ! -s $work/log ]] || fail "$1: it worked: $(cat "$work/log")"
  for each in "$work"/pid.*; do
    local state=$(sed 's/.*) \(.\).*/\1/' "/proc/$(cat "$each")/stat" 2> "$work/gone" || true)
    [[ -z $state || $state == Z ]] || fail "$1: $each is left, in state $state"
  done
}
waited='MPI has not begun after 7 s: '

begin stop 0
ends "stopped before it begins, the first" 4 "${waited}rank 0 \(.*, process [0-9]+\) is stopped \(SMEX_MPI_TIMEOUT"
begin stop 2
ends "stopped before it begins, the last" 4 "${waited}rank 2 \(.*, process [0-9]+\) is stopped \("
begin sleep 1
ends "another program that does not end" 4 "${waited}rank 1 \(.*\) has not come to MPI_Init: it runs program \("
begin kill 1
ends "killed before it begins" 137 'ended by mpirun before MPI had begun: rank 1 \(.*\) is not there any more$'
# Where the others have come to MPI_Init by then, mpirun may end them first.
begin end 1
ends "ends without a word" '4|1' "(${waited}rank 1 \(.*\) is not there any more \(|ended by mpirun before MPI had begun: rank 1 \(.*\) is not there any more$)"

# In MPI_Init, where all wait for the last one.
inside() { # SIGNAL RANK
  for ((i = 0; i < 100; ++i)); do
    if [[ -s $work/pid.$2 ]] && grep -qx smex-mpi-init "/proc/$(cat "$work/pid.$2")"/task/*/comm 2> "$work/gone"; then
      break
    fi
    sleep 0.1
  done
  kill "-$1" "$(cat "$work/pid.$2")"
}
begin none '' LATE=2
inside STOP 1
ends "stopped in MPI_Init" 4 "${waited}rank 1 \(.*, process [0-9]+\) is stopped \("
begin none '' LATE=2
inside TERM 1
ends "told to end in MPI_Init" 4 "rank 1 \(.*, process [0-9]+\) was told to end by SIGTERM before MPI had begun$"
begin none '' LATE=2
inside KILL 0
# mpirun may end the others before one of them has spoken; then its own words say which rank it was.
gone() { # whether all processes of the run have ended
  for each in "$work"/pid.*; do
    ! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(cat "$each")/status" 2> "$work/gone" || return 1
  done
}
for ((i = 0; i < 90; ++i)); do
  ! gone || break
  sleep 0.1
done
gone || fail "killed in MPI_Init: after $SECONDS s there are $(cat "$work"/pid.* | tr '\n' ' '), $(cat "$work/err")"
[[ $SECONDS -le 10 ]] || fail "killed in MPI_Init: took $SECONDS s"
# Whether mpirun itself ends, once nobody is left, is not ours.
(sleep 10 && pkill -KILL -P $run) > "$work/gone" 2>&1 &
helper=$!
wait $run && fail "killed in MPI_Init: status 0"
kill $helper 2> "$work/gone" || true
grep -qE 'ended by mpirun before MPI had begun: rank 0 \(.*\) is not there any more$|process rank 0 .* exited on signal 9' \
  "$work/err" || fail "killed in MPI_Init: $(cat "$work/err")"

# Whoever is only late is waited for; less, or longer, if one says so.
begin none '' LATE=2
wait $run || fail "one that is late is not waited for: $(cat "$work/err")"
begin sleep 1 SMEX_MPI_TIMEOUT=1
ends "a shorter time" 4 'MPI has not begun after 1 s: '
