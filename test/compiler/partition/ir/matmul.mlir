// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s

// The activations are small beside the weights: the weights stay where they are
// used, and each worker fetches the other's half of x.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK: smex.search = {algorithm = "recursive", lower_bound_bytes = 512 : i64
// CHECK-SAME: bytes = 512 : i64
// CHECK-SAME: optimal = true
// CHECK-SAME: smex.ways = array<i64: 2>
// CHECK-LABEL: func.func @main
// CHECK: smex.parameter "w" {cut = #smex.division<part 1>}
// CHECK: smex.apply @matmul{{.*}} {cut = #smex.division<part 1>, split = #smex.division<part 1>}
func.func @main(%x: tensor<2x64xf32> {smex.name = "x"})
    -> tensor<2x64xf32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<64x64xf32>
  %1 = smex.apply @matmul(%x, %w) extents [2, 64, 64] "y" : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}
