#!/bin/bash
# A graph network of the zoo on a small graph: outputs, losses and parameters
# are those of plain PyTorch, on several numbers of workers.
# usage: graph.sh SMEX_ZOO SMEXC SMEX_RUN COMPARE_NPY TRAINING_MATCHES FOLDER EDGES REFERENCE COMMAND...
# REFERENCE: whose results FOLDER has; COMMAND: the zoo's.
set -euo pipefail
zoo=$1 smexc=$2 smex_run=$3 compare=$4 matches=$5 folder=$6 edges=$6/$7 name=$8
shift 8
work=${TEST_TMPDIR:-$(mktemp -d)}

input=features
[ "$name" = treelstm ] && input=words
"$zoo" "$@" -o "$work/model.json"
for gpus in 1 2 3 4 8; do
  "$smexc" "$work/model.json" --graph "$edges" --gpus $gpus --cuda-arch none -o "$work/eval"
  "$smexc" check "$work/eval"
  "$smex_run" "$work/eval" --input "$input=$folder/$input.npy" --parameters "$folder/$name.safetensors" \
    --output-dir "$work/out" --verify
  "$compare" "$work/out/logits.npy" "$folder/${name}_logits.npy"

  "$smexc" "$work/model.json" --graph "$edges" --gpus $gpus --cuda-arch none -o "$work/plan" \
    --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
  "$smexc" check "$work/plan"
  "$smex_run" "$work/plan" --input "$input=$folder/$input.npy" --input labels="$folder/labels.npy" \
    --parameters "$folder/$name.safetensors" --steps 5 --verify --metrics "$work/metrics.json" \
    --save-parameters "$work/trained.safetensors"
  "$matches" "$work/metrics.json" "$folder/${name}_losses.npy" "$work/trained.safetensors" "$folder/${name}_parameters"
done

# Graph kernels, too, give the same bits whatever the number of threads is.
"$smexc" "$work/model.json" --graph "$edges" --gpus 2 --cuda-arch none -o "$work/eval"
"$smexc" "$work/model.json" --graph "$edges" --gpus 2 --cuda-arch none -o "$work/plan" \
  --train --loss cross_entropy --ignore-index -1 --optimizer adam --lr 0.01 --weight-decay 5e-4
for threads in 1 2 5; do
  "$smex_run" "$work/eval" --input "$input=$folder/$input.npy" --parameters "$folder/$name.safetensors" \
    --output-dir "$work/threads.$threads" --threads $threads
  "$smex_run" "$work/plan" --input "$input=$folder/$input.npy" --input labels="$folder/labels.npy" \
    --parameters "$folder/$name.safetensors" --steps 3 --threads $threads --save-parameters "$work/trained.$threads"
  cmp "$work/threads.1/logits.npy" "$work/threads.$threads/logits.npy"
  cmp "$work/trained.1" "$work/trained.$threads"
done
