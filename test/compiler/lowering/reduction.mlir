// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// The summed index is cut (case 2 of thesis section 3.4.2): operands are where
// they are needed, each worker has a partial result of the whole, and adds up the
// rows that it owns.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

  // CHECK-LABEL: exec.program @partitioned workers 2
  // CHECK-NOT: exec.fetch
  // CHECK: %[[P:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> partial
  // CHECK: exec.compute {{.*}} to %[[P]] extents [4, 5, 6] indices [0, 4, 0, 5, 0, 3, 0, 4, 0, 5, 3, 6]
  // CHECK: %[[C:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> boxes [0, 2, 0, 5, 2, 4, 0, 5]
  // Both add worker 0's share first.
  // CHECK: exec.reduce Sum %[[P]] to %[[C]] pieces [2, 0, 0, 2, 0, 5, 1, 0, 2, 0, 5, 2, 0, 2, 4, 0, 5, 1, 2, 4, 0, 5]
  // CHECK: exec.output "c" %[[C]]
  func.func @main(%a: tensor<4x6xf32> {smex.name = "a", smex.cut = array<i64: 1>},
                  %b: tensor<6x5xf32> {smex.name = "b", smex.cut = array<i64: 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["c"]} {
    %c = smex.apply @matmul(%a, %b) extents [4, 5, 6] "c" {split = array<i64: 2>, cut = array<i64: 0>}
        : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    return %c : tensor<4x5xf32>
  }
}
