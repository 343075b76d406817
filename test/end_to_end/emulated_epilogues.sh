#!/bin/bash
# Models on GPUs that are emulated, where cuBLASLt adds biases and activates as it
# writes the results of products: the metrics say how often it did, and what comes
# out is what the CPU and PyTorch have.
# usage: emulated_epilogues.sh SMEXC SMEX_RUN SMEX_ZOO COMPARE_NPY LIBCUDA LIBCUBLASLT MLP_DIR
set -euo pipefail
source "$(dirname "$0")/inputs_of.sh"
smexc=$1 smex_run=$2 smex_zoo=$3 compare=$4 libcuda=$5 model=$7
work=${TEST_TMPDIR:-$(mktemp -d)}
export LD_LIBRARY_PATH=$(emulated "$libcuda")
export SMEX_EMULATED_DEVICES=8 SMEX_EMULATED_SEED=3

compiled() { # MODEL GPUS [OPTION..]
  rm -rf "$work/plan"
  "$smexc" "$1" --gpus "$2" "${@:3}" -o "$work/plan" > /dev/null
  "$smexc" check "$work/plan"
  marked=$(grep -c '"epilogue_of"' "$work/plan/program.json" || true)
}
ran() { # WHAT DONE [ARGUMENT..]
  "$smex_run" "$work/plan" --backend cuda --verify --steps 3 --metrics "$work/metrics.json" "${@:3}" > "$work/stdout" ||
    fail "$1: $(cat "$work/stdout")"
  local done
  done=$(sed -n 's/^  "epilogues": \([0-9]*\),*$/\1/p' "$work/metrics.json")
  [[ ${done:-0} == "$2" ]] || fail "$1: ${done:-0} epilogues were done with their products, not $2"
}

# All of them, on all GPUs, in models that are large enough for biases to be
# fetched before the products: relu, bias and relu, bias; of PyTorch's model, too.
"$smex_zoo" mlp --hidden 32 --input 32 --classes 16 --batch 2400 --layers 3 -o "$work/mlp.json"
"$smex_zoo" transformer --layers 2 --hidden 32 --heads 2 --sequence 64 --vocabulary 50 --batch 8 -o "$work/transformer.json"
"$smex_zoo" mlp --type bf16 --hidden 32 --input 32 --classes 16 --batch 2400 --layers 3 -o "$work/mlp_bf16.json"
inputs_of "$model"
for gpus in 1 3 8; do
  compiled "$work/mlp.json" "$gpus"
  [[ $marked == 4 ]] || fail "mlp for $gpus: $marked epilogues are marked"
  ran "mlp for $gpus" $((4 * gpus))
  compiled "$work/mlp_bf16.json" "$gpus"
  [[ $marked == 4 ]] || fail "mlp of bf16 for $gpus: $marked epilogues are marked"
  ran "mlp of bf16 for $gpus" $((4 * gpus))
  # Queries, keys, values and the perceptron's inner layer, of two layers.
  compiled "$work/transformer.json" "$gpus"
  [[ $marked == 8 ]] || fail "transformer for $gpus: $marked epilogues are marked"
  ran "transformer for $gpus" $((8 * gpus))
  compiled "$file" "$gpus"
  [[ $gpus != 1 || $marked == 3 ]] || fail "PyTorch's mlp: $marked epilogues are marked"
  "$smex_run" "$work/plan" "${inputs[@]}" --backend cuda --output-dir "$work/out" > /dev/null
  for expected in "$model"/outputs/*.npy; do
    "$compare" "$work/out/$(basename "$expected")" "$expected" --tolerance 1e-4
  done
done

# The same when steps are no graph, where instructions are timed, and by another
# transport.
compiled "$work/transformer.json" 3
ran "without graphs" 24 --no-cuda-graphs
ran "with a trace" 24 --trace "$work/trace.json"
SMEX_EMULATED_DEVICES=1 ran "on one GPU" 24

# A library without them does the one, and the plan's code the other.
rm -f "$work/plan/choices.json"
SMEX_EMULATED_CUBLASLT_EPILOGUES=0 ran "a library without epilogues" 0
ran "the same plan with them" 24

# On the CPU and by the interpreter they are two instructions.
"$smex_run" "$work/plan" --backend cpu --verify --metrics "$work/metrics.json" > /dev/null
! grep -q epilogues "$work/metrics.json" || fail "the CPU does epilogues"
"$smex_run" "$work/plan" --backend reference --verify > /dev/null
"$smexc" inspect "$work/plan" | grep -q '^ *epilogues  *8 instructions' || fail "inspect does not say how many there are"

# None where bits are to be the same for any number of GPUs, nor for processors.
compiled "$work/mlp.json" 3 --reproducible
[[ $marked == 0 ]] || fail "--reproducible marks epilogues"
compiled "$work/mlp.json" 3 --cuda-arch none
[[ $marked == 0 ]] || fail "a plan for processors marks epilogues"
