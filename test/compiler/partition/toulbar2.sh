#!/bin/bash
# usage: toulbar2.sh SMEXC MODEL GPUS [OPTION...]
# Every step's problem of a model, as --emit problem prints it: toulbar2 proves the least bytes that the search claims, in each.
set -euo pipefail
smexc=$1 model=$2 gpus=$3
shift 3
work=${TEST_TMPDIR:-$(mktemp -d)}

"$smexc" "$model" --gpus "$gpus" "$@" --emit problem > "$work/problems"
# Bounds are of B after the steps before, whatever the plan was chosen by.
"$smexc" "$model" --gpus "$gpus" "$@" --emit decisions |
  sed -n 's/.*smex\.search = \({[^]]*]}\).*/\1/p' | grep -o 'lower_bound_bytes = [0-9]* : i64, optimal = [a-z]*' |
  sed 's/lower_bound_bytes = \([0-9]*\).*= \([a-z]*\)/\1 \2/' > "$work/ours"

steps=$(wc -l < "$work/problems")
[[ $steps -gt 0 && $(wc -l < "$work/ours") = "$steps" ]] || { echo "$steps problems, and other steps" >&2; exit 1; }
step=0
while IFS= read -r problem <&3 && read -r bytes optimal <&4; do
  step=$((step + 1))
  printf '%s\n' "$problem" > "$work/step.cfn"
  optimum=$(toulbar2 "$work/step.cfn" -timer=120 | sed -n 's/^Optimum: \([0-9]*\).*/\1/p')
  if [[ -z $optimum ]]; then
    echo "step $step: toulbar2 proves nothing in time" >&2
    exit 1
  fi
  if [[ $optimal == true && $optimum != "$bytes" ]]; then
    echo "step $step: toulbar2 says '$optimum', the search $bytes" >&2
    exit 1
  fi
  if [[ $optimal != true && $optimum -lt $bytes ]]; then
    echo "step $step: toulbar2 says $optimum, below the bound of $bytes" >&2
    exit 1
  fi
done 3< "$work/problems" 4< "$work/ours"
[[ $step = "$steps" ]]
echo "all $steps steps agree"
