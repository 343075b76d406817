// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s
// RUN: smex-opt %s --smex-partition="gpus=2 output-reduction=false" | FileCheck %s --check-prefix=WHOLE

// To split the sum moves the least: halves of the 2x2 result. Where that is not
// wanted, each worker fetches what it lacks of an operand.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK: lower_bound_bytes = 16 : i64
// CHECK-LABEL: func.func @main
// CHECK: smex.apply @matmul{{.*}} split = #smex.division<part 2>}
// WHOLE: lower_bound_bytes = 512 : i64
// WHOLE-LABEL: func.func @main
// WHOLE: smex.apply @matmul{{.*}} split = #smex.division<part {{[01]}}>}
func.func @main(%x: tensor<2x64xf32> {smex.name = "x"})
    -> tensor<2x2xf32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<64x2xf32>
  %1 = smex.apply @matmul(%x, %w) extents [2, 2, 64] "y" : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
