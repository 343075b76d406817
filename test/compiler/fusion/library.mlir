// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// A matrix product has a library kernel, which computes products of what is
// stored. The map before it stays, although it has no other reader.

tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = smex.apply @exp(%arg0)
// CHECK-NEXT: smex.apply @matmul(%[[E]], %arg1)
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> tensor<4x6xf32> attributes {smex.outputs = ["p"]} {
  %e = smex.apply @exp(%x) extents [4, 5] "e" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %p = smex.apply @matmul(%e, %y) extents [4, 6, 5] "p" : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}
