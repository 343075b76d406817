#!/bin/bash
# Options, folders and plans that are wrong: the status says whose fault it is, the
# message what to do, and what was there stays.
# usage: commands.sh SMEXC SMEX_RUN MODEL_DIR
set -uo pipefail
source "$(dirname "$0")/gives.sh"
smexc=$PWD/$1 run=$PWD/$2 model=$PWD/$3/model.onnx x=$PWD/$3/inputs/x.npy
work=${TEST_TMPDIR:-$(mktemp -d)}
cd "$work" || exit 1
# A compilation that must fail, and leave nothing.
refuses() {
  gives "$1" "$2" "$smexc" "$model" "${@:3}" -o none
  [ -e none ] && complain "${*:3}: left a plan"
}

for gpus in 0 -1 99999999999 1025 x ''; do
  refuses 2 gpus --gpus "$gpus"
done
refuses 2 '--gpus'
refuses 2 'nonsense not in .*recursive' --gpus 2 --algorithm nonsense
refuses 2 "architecture 'nonsense'" --gpus 2 --cpu-arch nonsense
refuses 2 '--cuda-arch nonsense: is no compute capability' --gpus 2 --cuda-arch nonsense
refuses 2 '--cuda-arch none: is no compute capability' --gpus 2 --cuda-arch sm_80,none
refuses 2 '--cpu-arch x86-64-v3 is given twice' --gpus 2 --cpu-arch x86-64-v3,x86-64-v4,x86-64-v3
refuses 1 'nowhere.npy' --gpus 2 --constant x=nowhere.npy
refuses 1 'no input "y"' --gpus 2 --constant "y=$x"
printf 'no array' > bad.npy
refuses 1 'bad.npy' --gpus 2 --constant x=bad.npy
refuses 2 'NAME=VALUE' --gpus 2 --constant x
refuses 2 'number' --gpus 2 --dim n=many
refuses 2 'number' --gpus 2 --dim n=99999999999999999999
refuses 1 '"n"' --gpus 2 --dim n=4
refuses 2 'memory-per-gpu "much" is no size' --gpus 2 --memory-per-gpu much
refuses 2 'memory-per-gpu "-1" is no size' --gpus 2 --memory-per-gpu=-1
refuses 2 'memory-per-gpu has 3 sizes for 2 GPUs' --gpus 2 --memory-per-gpu 1GiB,2GiB,3GiB
refuses 2 'spare: 1 is no share from 0 to less than 1' --gpus 2 --spare 1 --memory-per-gpu 1GiB --algorithm heft
refuses 2 'spare: only placements keep memory free' --gpus 2 --spare 0.1 --memory-per-gpu 1GiB
refuses 2 'spare: give what there is of memory' --gpus 2 --spare 0.1 --algorithm heft
refuses 1 'a GPU has [0-9]+ for that of its 1024 \(a share of 0\.5 is kept free\); the smallest limit found to work is [0-9]+ bytes' \
  --gpus 2 --spare 0.5 --memory-per-gpu 1KiB --algorithm heft
printf '{"format": "smex-profile", "version": 1, "model": "m", "backend": "cpu", "operators": {}}' > profile.json
refuses 2 'profile: what operators take counts where they are placed, or plans compared' --gpus 2 --profile profile.json
refuses 2 'profile: what operators take counts where they are placed, or plans compared' --gpus 2 --profile profile.json --algorithm tofu
refuses 1 'profile.json has no operators: parts say nothing of a whole' --gpus 2 --profile profile.json --algorithm heft
refuses 1 'profile.json has no operators: parts say nothing of a whole' --gpus 2 --profile profile.json --machine dgx-2
refuses 1 'nowhere: no such file, and no machine known by this' --gpus 2 --machine nowhere
refuses 2 'machine p3.2xlarge has 1 GPU, fewer than --gpus 2' --gpus 2 --machine p3.2xlarge
refuses 1 'of [1-9][0-9]* plans for 2 GPUs, that of --algorithm .* takes least, and keeps a limit of [0-9]+ bytes; .*more GPUs may need less each; largest at its peak: "' \
  --gpus 2 --memory-per-gpu 1KiB
refuses 1 'the plan of --algorithm tofu for 2 GPUs keeps a limit of [0-9]+ bytes; without --algorithm, other searches are tried' \
  --gpus 2 --memory-per-gpu 1KiB --algorithm tofu
refuses 2 '--train' --gpus 2 --lr 0.1
refuses 2 'optimizer' --gpus 2 --train --optimizer nonsense
refuses 1 'no loss "nonsense"' --gpus 2 --train --loss nonsense
refuses 1 'no parameter "nonsense" to freeze' --gpus 2 --train --freeze nonsense
refuses 2 'machine: a value is missing' --gpus 2 --machine ''
gives 2 '-o' "$smexc" "$model" --gpus 2
gives 2 'MODEL' "$smexc"
gives 1 'nowhere.onnx' "$smexc" nowhere.onnx --gpus 2 -o none
gives 2 '"inspekt" is neither a command \(inspect, check, .*\) nor a model' "$smexc" inspekt plan
gives 2 '"explain" is neither a command' "$smexc" explain
gives 1 'neither' "$smexc" . --gpus 2 -o none
gives 1 'zero' "$smexc" "$model" --ops /dev/zero --gpus 2 -o none

mkdir precious
echo data > precious/data
gives 1 'precious: exists' "$smexc" "$model" --gpus 2 -o precious
gives 1 'data: exists' "$smexc" "$model" --gpus 2 -o precious/data
# That is said before any work.
gives 1 'precious: exists and holds no plan' "$smexc" nowhere.onnx --gpus 2 -o precious
gives 1 'data: exists and is not a folder' "$smexc" nowhere.onnx --gpus 2 -o precious/data
gives 1 'data/: exists and is not a folder' "$smexc" nowhere.onnx --gpus 2 -o precious/data/
[ "$(cat precious/data)" = data ] || complain "a folder that is no plan was harmed"
gives 4 'cannot create' "$smexc" "$model" --gpus 2 -o /proc/smex/plan

# More GPUs than rows.
"$smexc" "$model" --gpus 64 -o wide > /dev/null && "$smexc" check wide > /dev/null &&
  "$run" wide --input x="$x" --verify > /dev/null || complain "64 GPUs"

"$smexc" "$model" --gpus 2 -o plan > /dev/null || complain "a good model"
printf '{' > machine.json
gives 1 'machine.json: .*line 1' "$smexc" simulate plan --machine machine.json
gives 1 'zero: larger than' "$smexc" simulate plan --machine /dev/zero
gives 1 'no machine known by this name; known: .*p2.8xlarge' "$smexc" simulate plan --machine nowhere
gives 1 'nowhere' "$smexc" simulate nowhere --machine h200
gives 2 'machine' "$smexc" simulate plan
gives 4 'cannot write' "$smexc" simulate plan --machine h200 --trace /proc/smex/trace
gives 1 '"y"' "$run" plan --input "y=$x"
gives 1 'nowhere.npy' "$run" plan --input x=nowhere.npy
gives 1 'bad.npy' "$run" plan --input x=bad.npy
gives 1 'f64.* f32\[12, 96\] expected' "$run" plan --input x=<(
  sed '1s/<f4/<f8/; 1s/(12, 96)/(12, 48)/' "$x")
gives 1 'f32\[96, 12\], f32\[12, 96\] expected' "$run" plan --input x=<(
  sed '1s/(12, 96)/(96, 12)/' "$x")
gives 1 'device' "$run" plan --input x=/dev/zero
gives 1 'twice' "$run" plan --input "x=$x" --input "x=$x"
gives 2 'NAME=FILE' "$run" plan --input x
gives 2 'steps' "$run" plan --steps 0
gives 2 'seed' "$run" plan --seed -1
gives 2 'transfers' "$run" plan --transfers nonsense
gives 2 'watchdog' "$run" plan --watchdog=-1
gives 2 'watchdog' "$run" plan --watchdog soon
gives 2 'watchdog.*nan is no number' "$run" plan --watchdog nan
gives 2 'backend' "$run" plan --backend nonsense
gives 4 'cannot create' "$run" plan --output-dir /proc/smex/out
gives 1 'nowhere' "$run" nowhere
gives 1 'plan.json' "$run" precious
for command in check inspect; do
  gives 1 'nowhere' "$smexc" $command nowhere
  gives 1 'plan.json' "$smexc" $command precious
done
size=$(stat -c %s "$x")
for ((length = 0; length < size; length += 211)); do
  head -c $length "$x" > cut.npy
  gives 1 'cut.npy' "$run" plan --input x=cut.npy
done

# Killed at any moment, the old plan is there, or the new one. Both are for 2 GPUs.
for delay in 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.4; do
  "$smexc" "$model" --gpus 2 -o plan > /dev/null 2>&1 &
  pid=$!
  sleep $delay
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  "$smexc" check plan > /dev/null || complain "killed after $delay s"
done

# Outputs are files in the folder, whatever their names.
cat > odd.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "x", "type": "f32", "shape": [8]}],
 "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["../up"]},
           {"op": "Neg", "inputs": ["x"], "outputs": [".."]},
           {"op": "Exp", "inputs": ["x"], "outputs": ["a/b"]},
           {"op": "Abs", "inputs": ["x"], "outputs": ["/tmp/absolute"]}],
 "outputs": ["../up", "..", "a/b", "/tmp/absolute"]}
END
mkdir inner
"$smexc" odd.json --gpus 2 -o odd > /dev/null || complain "odd names of outputs"
"$run" odd --output-dir inner/out > /dev/null || complain "odd names of outputs"
[ "$(find inner -type f | wc -l)" = 4 ] && [ "$(find inner/out -maxdepth 1 -type f | wc -l)" = 4 ] ||
  complain "outputs left their folder: $(find inner)"

# Two of one name would be one file.
sed 's|"\.\./up"|"a_b"|g' odd.json > same.json
"$smexc" same.json --gpus 2 -o same > /dev/null || complain "outputs of alike names"
"$run" same > /dev/null || complain "outputs of alike names, not written"
gives 1 'outputs "a_b" and "a/b" would both be written to a_b.npy' "$run" same --output-dir inner/same
[ -e inner/same ] && complain "outputs of alike names: left a folder"

# What no machine can hold compiles, but does not run.
cat > huge.json << 'END'
{"format": "smex-model", "version": 1,
 "inputs": [{"name": "x", "type": "f32", "shape": [1099511627776, 4]}],
 "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"]}],
 "outputs": ["y"]}
END
"$smexc" huge.json --gpus 2 -o huge > /dev/null || complain "a huge model"
gives 4 'memory' "$run" huge

# No file may grow: as a full disk. Temporary files of generated code fit, the
# weights do not.
(
  trap '' XFSZ
  ulimit -S -f 64 # KiB
  gives 4 'full/plan/gpu0.weights: cannot write: File too large' "$smexc" "$model" --gpus 2 -o full/plan
  exit $failed
) || failed=1
[ -z "$(ls full)" ] || complain "left on the full disk: $(ls full)"

# A full disk, where this process may mount a small one.
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2> /dev/null; then
  gives 4 'disk/plan/[a-z0-9_./]*: cannot write: No space left' "$smexc" "$model" --gpus 2 -o disk/plan
  [ -z "$(ls disk)" ] || complain "left on the full disk: $(ls disk)"
  # Kernels are linked in a temporary folder.
  head -c 63k /dev/zero > disk/full
  gives 4 'disk: cannot hold temporary files' \
    env TMPDIR="$work/disk" "$smexc" "$model" --gpus 2 -o none
  umount disk
fi
exit $failed
