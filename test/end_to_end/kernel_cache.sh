#!/bin/bash
# With --kernel-cache plans are what they are without, for any number of GPUs,
# whatever has become of what was kept, and `check` finds what it finds without.
# usage: kernel_cache.sh SMEXC MODEL
set -euo pipefail
smexc=$PWD/$1 model=$PWD/$2
unset SMEX_KERNEL_CACHE
cd "${TEST_TMPDIR:-$(mktemp -d)}"

fail() {
  echo "FAILED: $*"
  exit 1
}
# plan GPUS FOLDER OPTION...: prints how many kernels were found, and missed.
plan() {
  "$smexc" "$model" --gpus "$1" -o "$2" --stats stats.json "${@:3}" > /dev/null
  /usr/bin/python3 -c '
import json
kept = json.load(open("stats.json")).get("kernel_cache")
print(kept["found"], kept["missed"]) if kept else print("none")'
}

[ "$(plan 6 six)" = none ] || fail "a cache that nobody asked for"
plan 4 four > /dev/null
read -r found missed <<< "$(plan 6 cold --kernel-cache kept)"
[ "$found" = 0 ] && [ "$missed" -gt 0 ] || fail "cold: $found found, $missed missed"
diff -r six cold
read -r again none <<< "$(SMEX_KERNEL_CACHE=kept plan 6 warm)"
[ "$again" = "$missed" ] && [ "$none" = 0 ] || fail "warm: $again found, $none missed"
diff -r six warm
# Plans of a model for other numbers of GPUs have nearly all kernels in common.
read -r found none <<< "$(plan 4 other --kernel-cache kept)"
[ "$found" -gt $((9 * none)) ] || fail "of 4 GPUs: $found found, $none missed"
diff -r four other
[ "$(SMEX_KERNEL_CACHE=kept plan 6 six --kernel-cache none)" = none ] || fail "none: there is one"

# Two at once, where nothing is kept yet.
"$smexc" "$model" --gpus 6 -o one --kernel-cache both > /dev/null &
"$smexc" "$model" --gpus 6 -o two --kernel-cache both > /dev/null
wait $!
diff -r six one
diff -r six two

# Cut off in the middle, as by a crash.
for file in kept/llvmcache-*; do
  truncate -s $(($(stat -c %s "$file") / 2)) "$file"
done
read -r found none <<< "$(plan 6 mended --kernel-cache kept)"
[ "$found" = 0 ] && [ "$none" = "$missed" ] || fail "damaged: $found found, $none missed"
diff -r six mended

"$smexc" check six --kernel-cache kept
# A byte of the code, and the plan's hashes of it and of itself to match.
/usr/bin/python3 -c '
import hashlib, re
code, plan = open("six/kernels.x86-64-v3.so", "rb").read(), open("six/plan.json").read()
middle = len(code) // 2
changed = code[:middle] + bytes([code[middle] ^ 1]) + code[middle + 1:]
open("six/kernels.x86-64-v3.so", "wb").write(changed)
old, new = (hashlib.sha256(each).hexdigest() for each in (code, changed))
assert old in plan
own = re.compile(r"^  \"sha256\": \"(.*)\",\n", re.MULTILINE)
plan = plan.replace(old, new)
itself = hashlib.sha256(own.sub("", plan).encode()).hexdigest()
open("six/plan.json", "w").write(plan.replace(own.search(plan)[1], itself))'
status=0
"$smexc" check six --kernel-cache kept 2> said || status=$?
[ $status = 3 ] || fail "check of a changed kernel gives $status: $(cat said)"
grep -q 'six: kernel' said

touch file
status=0
"$smexc" "$model" --gpus 2 -o left --kernel-cache file/kept 2> said || status=$?
[ $status = 4 ] || fail "a folder in a file gives $status"
grep -q 'file/kept: cannot hold code of kernels: Not a directory' said
[ ! -e left ] || fail "left a plan"
