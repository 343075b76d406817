#!/bin/bash
# The folder that tools/gpu-check packs, run over the emulated device: every part
# runs, all that is printed says emulated, and what differs is found.
# usage: gpu_check.sh EMULATED_LIBRARY...
set -euo pipefail
work=${TEST_TMPDIR:-$(mktemp -d)}
emulated=
for library; do
  emulated+=${emulated:+:}$PWD/$(dirname "$library")
done

fail() {
  echo "FAILED: $*"
  exit 1
}

/usr/bin/python3 tools/gpu_check/pack.py "$work/packed" --bin "$PWD" --tiny
export LD_LIBRARY_PATH=$emulated PYTHON=/usr/bin/python3
cd "$work"
"$work/packed/gpu-check" --output results > printed || fail "a right plan fails: $(cat printed)"
cat printed
cmp printed results/results.txt || fail "the text file is not what was printed"
! grep -v '^emulated: ' printed || fail "a line does not say emulated"
for part in machine cases models suite conformance bench sanitizer; do
  grep -q "== $part " printed || fail "no part $part"
done
"$PYTHON" - << 'EOF' || fail "results.json"
import json
found = json.load(open("results/results.json"))
assert found["emulated"] and found["finished"], found
ok = [record["name"] for record in found["records"] if record["status"] == "ok"]
for name in "mlp N=1", "mlp N=3", "mlp_sgd N=2":
    assert name in ok, (name, ok)
assert {record["part"] for record in found["records"] if record["status"] == "ok"} >= {"cases", "models", "suite", "conformance"}
assert "smex-run starts" in ok, ok
for record in found["records"]:
    # Neither compute-sanitizer nor PyTorch is asked about a device that is none.
    assert record["status"] == ("not run" if record["name"] in ["compute-sanitizer", "PyTorch"] else "ok"), record
# Ours are measured, and nothing of an emulated device holds.
assert len(found["table"]) == 16, len(found["table"])
for row in found["table"]:
    assert row["ours"] != "not run" and row["verdict"] == "not run", row
EOF

# Another expected output, and another loss: each is told apart from the rest.
mkdir payload
tar -xJf packed/payload.tar.xz -C payload
tar -xJf packed/suite.tar.xz -C payload
"$PYTHON" - << 'EOF'
import json, os
manifest = json.load(open("packed/manifest.json"))
for plan in manifest["plans"]:
    if plan["name"] == "mlp N=3" and plan["group"] == "models":
        folder = os.path.join("payload", plan["folder"], "expected")
        path = os.path.join(folder, os.listdir(folder)[0])
        data = bytearray(open(path, "rb").read())
        data[-1] ^= 0x40  # the exponent of the last number
        open(path, "wb").write(data)
    if plan["name"] == "mlp_sgd N=2":
        plan["losses"][1] *= 1.001
    if plan["name"] == "mlp N=1":
        plan["communication_bytes"] += 1
# Of the suite: another output, and another number of bytes.
folder = "payload/suite/0/expected"
path = os.path.join(folder, sorted(os.listdir(folder))[0])
data = bytearray(open(path, "rb").read())
data[-1] ^= 0x40
open(path, "wb").write(data)
about = json.load(open("payload/suite/1/case.json"))
about["communication_bytes"] += 1
json.dump(about, open("payload/suite/1/case.json", "w"))
json.dump(manifest, open("packed/manifest.json", "w"))
EOF
# A call of each library with another answer: a refusal that was taken, and the other way round.
cp payload/calls calls
"$PYTHON" - << 'EOF'
lines = open("payload/calls").read().splitlines()
for name in "cublasLtMatmul ", "cudnnConvolutionForward ", "cublasLtMatmulAlgoGetHeuristic ", "cudnnSetTensorNdDescriptor ":
    at = next(i for i, line in enumerate(lines) if line.startswith(name))
    words = lines[at].split(" ")
    words[1] = "0" if words[1] != "0" else "7000"
    lines[at] = " ".join(words)
open("payload/calls", "w").write("\n".join(lines) + "\n")
EOF
tar -c -C payload suite | xz -0 > packed/suite.tar.xz
rm -r payload/suite
tar -c -C payload . | xz -0 > packed/payload.tar.xz
status=0
"$work/packed/gpu-check" --parts cases,models,suite --output broken > printed || status=$?
cat printed
[ $status = 3 ] || fail "what differs gives status $status"
grep -q 'differs *mlp N=1: communication_bytes' printed || fail "other counted bytes are not found"
grep -q 'differs *mlp N=3: output0.npy' printed || fail "another output is not found"
grep -q 'differs *mlp_sgd N=2: losses' printed || fail "another loss is not found"
grep -q 'differs *replayed calls' printed || fail "calls with other answers are not found"
[ "$(grep -c '^emulated:  *DIFFERENT: gives' printed)" = 4 ] || fail "not four calls differ"
[ "$(wc -l < calls)" -ge 150 ] || fail "only $(wc -l < calls) calls are recorded"
[ "$(grep -vc '^[A-Za-z_0-9]* 0 ' calls)" -ge 20 ] || fail "hardly any refusal is recorded"
[ "$(grep -c 'differs *graphs: ' printed)" = 2 ] || fail "not two cases of the suite differ"
grep -q 'differs *graphs: .* bytes cross workers, the plan predicts' printed || fail "other bytes of a case are not found"

# A GPU that fails in the third launch of each process: those cases fail, and the others are run.
status=0
SMEX_EMULATED_FAULT=launch:3 "$work/packed/gpu-check" --parts suite --output faulty > printed || status=$?
[ $status = 3 ] || fail "a GPU that fails gives status $status"
"$PYTHON" - << 'EOF' || fail "the suite on a GPU that fails: $(cat printed)"
import json
cases = len(json.load(open("packed/manifest.json"))["suite"])
records = [each for each in json.load(open("faulty/results.json"))["records"] if each["part"] == "suite"]
failed = [each for each in records if each["status"] == "fails"]
ok = sum(int(each["name"].split(" ")[0]) for each in records if each["status"] == "ok")
assert failed and len(failed) + ok + sum(each["status"] == "differs" for each in records) == cases, (cases, records)
EOF

# No time, not even to unpack.
status=0
"$work/packed/gpu-check" --limit 0 --output short > printed || status=$?
[ $status = 3 ] || [ $status = 0 ] || fail "no time gives status $status"
grep -q 'fails *unpacking: \|not run .*: no time was left' printed || fail "it does not say that no time was left: $(cat printed)"
grep -q '"finished": true' short/results.json || fail "no time: the results are not whole"

# No device: it says so, and that is status 4.
status=0
SMEX_EMULATED_DEVICES=0 "$work/packed/gpu-check" --output none > printed || status=$?
[ $status = 4 ] || fail "no device gives status $status"
grep -q 'not run *GPU: cuInit gives 100' printed || fail "it does not say that there is no device"
