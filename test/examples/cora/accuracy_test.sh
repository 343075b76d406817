#!/bin/bash
# Accuracy on Cora. The papers' means are 81.5 (GCN) and 83.0 (GAT), one seed differs from another by about 0.7: these are
# the means less two standard errors, and for GAT, of five seeds only, three.
# usage: accuracy_test.sh RUN NODES SMEX_ZOO CORA
set -euo pipefail
run=$1 data=$4
export PATH=$PWD/$(dirname "$2"):$PWD/$(dirname "$3"):$PATH
"$run" "$data" --networks gcn --seeds 10 --least 81
"$run" "$data" --networks gat --seeds 5 --least 82
