// RUN: not smex-opt %s --smex-partition=gpus=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not smex-opt %s --smex-partition=gpus=65537 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not smex-opt %s --smex-partition="gpus=2 algorithm=perfect" 2>&1 | FileCheck %s --check-prefix=NAME

// Numbers of workers and names of algorithms that there are none of.

// NONE: error: 0 workers: 1 to 65536 are possible
// MANY: error: 65537 workers: 1 to 65536 are possible
// NAME: error: no algorithm "perfect"; there are {{.*}}recursive
func.func @main() attributes {smex.outputs = []} {
  return
}
