#!/bin/bash
# usage: random_graphs.sh SMEX_ZOO RANDOM_GRAPHS acyclic|any|batch|relations GRAPHS NAME [SIZES...]
set -euo pipefail
zoo=$1 random=$2 kind=$3 graphs=$4
shift 4
work=${TEST_TMPDIR:-$(mktemp -d)}
"$zoo" "$@" -o "$work/model.json"
"$random" "$work/model.json" "$kind" "$graphs"
