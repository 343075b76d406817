// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s
// RUN: smex-opt %s --smex-partition="gpus=2 algorithm=tofu" | FileCheck %s
// RUN: smex-opt %s --smex-partition="gpus=2 algorithm=critical-dp" | FileCheck %s
// RUN: smex-opt %s --smex-partition="gpus=2 algorithm=icml18" | FileCheck %s
// RUN: smex-opt %s --smex-partition="gpus=2 algorithm=flat" | FileCheck %s

// A model without operators has nothing to decide, and a plan all the same.

// CHECK: lower_bound_bytes = 0 : i64
// CHECK-SAME: smex.ways = array<i64: 2>
func.func @main() attributes {smex.outputs = []} {
  return
}
