#!/bin/bash
# Options of training that are wrong: files of parameters, checkpoints, options that
# exclude each other.
# usage: training.sh SMEXC SMEX_RUN MODEL.json MAKE_SAFETENSORS
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 model=$PWD/$3 make=$PWD/$4
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1

for gpus in 2 3; do
  "$smexc" "$model" --train --optimizer adam --gpus $gpus -o plan$gpus > /dev/null || complain "a good model"
done
"$smexc" "$model" --train --optimizer sgd --gpus 2 -o sgd > /dev/null || complain "a good model"
"$smexc" "$model" --gpus 2 -o inference > /dev/null || complain "a good model"

"$run" plan2 --steps 2 --save-parameters good.safetensors > /dev/null || complain "to save parameters"
python3 "$make" good.safetensors || exit 1
"$run" plan3 --parameters good.safetensors --save-parameters same.safetensors --steps 1 \
  --verify > /dev/null || complain "parameters that were saved"
"$run" plan2 --parameters padded.safetensors > /dev/null || complain "parameters of another order"

# parameters FILE MESSAGE
parameters() {
  gives 1 "$1\\.safetensors: $2" "$run" plan2 --parameters "$1.safetensors"
}
parameters nowhere 'cannot open'
parameters empty 'truncated: '
parameters missing 'tensor "second.bias" .f32\[5\]. is missing$'
parameters missing_two 'tensor "first.weight" .*is missing, and 1 more$'
parameters shape 'tensor "second.weight" is f32\[5, 32\], f32\[32, 5\] expected'
parameters type 'tensor "second.bias" is i32\[5\], f32\[5\] expected'
parameters unknown 'tensor "extra": the plan has no such parameter'
parameters f8 'tensor "second.bias": element type F8_E5M2 is not supported'
parameters twice 'safetensors header: .*"second.bias" occurs twice'
parameters overlap 'tensor "[a-z.]*": its data overlaps'
parameters hole 'tensor "[a-z.]*": 8 bytes before its data'
parameters trailing '3 bytes after the last tensor'
parameters cut 'tensor "[a-z.]*": truncated: '
parameters long_header 'not a safetensors file: its header would have [0-9]* bytes'
parameters header 'safetensors header: '
parameters noise 'not a safetensors file|truncated'
gives 1 'folder' "$run" plan2 --parameters .
gives 1 'device' "$run" plan2 --parameters /dev/zero

gives 4 'cannot write' "$run" plan2 --save-parameters nowhere/f.safetensors
gives 1 'plan2: is a folder' "$run" plan2 --save-parameters plan2
gives 4 'cannot create' "$run" plan2 --checkpoint-dir /proc/smex/checkpoints
printf "" > model
gives 1 'model: exists and is not a folder' "$run" plan2 --checkpoint-dir model
gives 1 '\-\-train' "$run" inference --checkpoint-dir none
[ -e none ] && complain "left a folder of checkpoints"
gives 2 'checkpoint-dir' "$run" plan2 --resume
gives 2 'checkpoint-dir' "$run" plan2 --checkpoint-every 3
gives 2 'checkpoint-every' "$run" plan2 --checkpoint-dir c --checkpoint-every 0
for option in --verify '--output-dir o' '--save-parameters f' '--checkpoint-dir c'; do
  gives 2 'skip-copies' "$run" plan2 --skip-copies $option
done

# A loss that is not finite ends training: squares of 3e38 are none that f32 holds.
cat > huge.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "x", "type": "f32", "shape": [4]}],
 "parameters": [{"name": "w", "type": "f32", "shape": [4], "values": [3e38, 3e38, 3e38, 3e38]}],
 "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]}],
 "outputs": ["y"]}
END
"$smexc" huge.json --train --loss mse --optimizer sgd --gpus 2 -o diverges > /dev/null || complain "a model of huge weights"
gives 1 'step 1: the loss is (no number \(NaN\)|infinite), .*--allow-nonfinite-loss' "$run" diverges --steps 9 \
  --checkpoint-dir d --checkpoint-every 1 --save-parameters none.safetensors
[ -e none.safetensors ] && complain "saved the parameters of a run that was stopped"
[ -e d/checkpoint.safetensors ] && complain "kept a checkpoint of a step that was stopped"
"$run" diverges --steps 9 --allow-nonfinite-loss | grep -E 'loss .* (-?nan|inf) in step 9' > /dev/null ||
  complain "--allow-nonfinite-loss"
"$run" diverges --steps 9 --skip-copies > /dev/null || complain "--skip-copies of a loss that is no number"

"$run" plan3 --skip-copies --steps 3 | grep 'copies were skipped' > /dev/null || complain "--skip-copies"

"$run" plan2 --steps 4 --checkpoint-dir c --resume | grep 'no checkpoint there yet' > /dev/null ||
  complain "a checkpoint from nowhere"
file='c/checkpoint\.safetensors: '
gives 1 "${file}is there already" "$run" plan2 --steps 4 --checkpoint-dir c
gives 1 "${file}is a checkpoint of step 4, beyond --steps 3" "$run" plan2 --steps 3 --checkpoint-dir c --resume
gives 1 "${file}is a checkpoint of a run with --seed 0, not 1" "$run" plan2 --steps 9 --checkpoint-dir c --resume --seed 1
gives 1 "${file}is a checkpoint of a run without --parameters" "$run" plan2 --steps 9 --checkpoint-dir c --resume \
  --parameters good.safetensors
gives 1 "${file}tensor \"[a-z.]*exp_avg[a-z_]*\": the plan has no such" "$run" sgd --steps 9 --checkpoint-dir c --resume
"$run" sgd --steps 2 --checkpoint-dir s > /dev/null || complain "checkpoints of sgd"
gives 1 's/checkpoint.safetensors: tensor "optimizer.step" .*is missing, and' \
  "$run" plan2 --steps 9 --checkpoint-dir s --resume
sed 's/"norm.mean", "type": "f32", "shape": .32., "values": 0/"norm.mean", "type": "f32", "shape": [32], "values": 1/' \
  "$model" > other.json
"$smexc" other.json --train --optimizer adam --gpus 2 -o other > /dev/null || complain "another model"
gives 1 "${file}is a checkpoint of another model" "$run" other --steps 9 --checkpoint-dir c --resume
size=$(stat -c %s c/checkpoint.safetensors)
cp c/checkpoint.safetensors whole
for length in 0 7 8 100 $((size / 2)) $((size - 1)); do
  head -c "$length" whole > c/checkpoint.safetensors
  gives 1 "$file" "$run" plan2 --steps 9 --checkpoint-dir c --resume
done
cp good.safetensors c/checkpoint.safetensors
gives 1 "${file}is no checkpoint" "$run" plan2 --steps 9 --checkpoint-dir c --resume
cp whole c/checkpoint.safetensors
"$run" plan3 --steps 5 --checkpoint-dir c --resume | grep 'resumes after step 4' > /dev/null || complain "a good checkpoint"

# No file may grow: as a full disk. The last good checkpoint stays.
cat > wide.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "x", "type": "f32", "shape": [4, 300]}],
 "parameters": [{"name": "w", "type": "f32", "shape": [300, 500], "drawn": 0.1}],
 "nodes": [{"op": "MatMul", "inputs": ["x", "w"], "outputs": ["y"]}],
 "outputs": ["y"]}
END
"$smexc" wide.json --train --gpus 2 -o wide > /dev/null || complain "a wide model"
"$run" wide --steps 1 --checkpoint-dir w > /dev/null || complain "a wide checkpoint"
cp w/checkpoint.safetensors whole
(
  trap '' XFSZ
  ulimit -S -f 400 # KiB
  gives 4 'w/checkpoint.safetensors: cannot write: File too large' "$run" wide --steps 2 --checkpoint-dir w --resume
  gives 4 'full.safetensors: cannot write: File too large' "$run" wide --save-parameters full.safetensors
  exit $failed
) || failed=1
cmp whole w/checkpoint.safetensors || complain "the last good checkpoint was harmed"
[ "$(ls w)" = checkpoint.safetensors ] || complain "left on the full disk: $(ls w)"
[ -e full.safetensors ] && complain "left half a file"

# A full disk, where this process may mount a small one.
mkdir disk
if mount -t tmpfs -o size=400k tmpfs disk 2> /dev/null; then
  gives 4 'disk/w.safetensors: cannot write: No space left' "$run" wide --save-parameters disk/w.safetensors
  [ -z "$(ls disk)" ] || complain "left on the full disk: $(ls disk)"
  umount disk
fi
exit $failed
