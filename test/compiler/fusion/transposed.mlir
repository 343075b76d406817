// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// Products read a weight in any order, however many there are: it is not
// transposed before. Other readers still find it transposed.

tdl.lambda @transpose = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i1, i0]"
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"

// CHECK: tdl.lambda @[[$PRODUCT:.*]] = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[i1, r0])"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = smex.parameter "w"
// CHECK-NEXT: smex.apply @[[$PRODUCT]](%arg0, %[[W]])
// CHECK-NEXT: smex.apply @[[$PRODUCT]](%arg1, %[[W]])
// CHECK-NEXT: return
func.func @main(%x: tensor<4x5xf32>, %y: tensor<3x5xf32>)
    -> (tensor<4x6xf32>, tensor<3x6xf32>) attributes {smex.outputs = ["p", "q"]} {
  %w = smex.parameter "w" : tensor<6x5xf32>
  %t = smex.apply @transpose(%w) extents [5, 6] "t" : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %p = smex.apply @matmul(%x, %t) extents [4, 6, 5] "p" : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %q = smex.apply @matmul(%y, %t) extents [3, 6, 5] "q" : (tensor<3x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %p, %q : tensor<4x6xf32>, tensor<3x6xf32>
}

// -----

// What is computed is not computed again for each of its readers, nor is more
// than one tensor kept.

tdl.lambda @transpose = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i1, i0]"
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @transpose
// CHECK-NEXT: smex.apply @matmul
// CHECK-NEXT: smex.apply @matmul
func.func @main(%w: tensor<6x5xf32>, %x: tensor<4x5xf32>, %y: tensor<3x5xf32>)
    -> (tensor<4x6xf32>, tensor<3x6xf32>) attributes {smex.outputs = ["p", "q"]} {
  %t = smex.apply @transpose(%w) extents [5, 6] "t" : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %p = smex.apply @matmul(%x, %t) extents [4, 6, 5] "p" : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %q = smex.apply @matmul(%y, %t) extents [3, 6, 5] "q" : (tensor<3x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %p, %q : tensor<4x6xf32>, tensor<3x6xf32>
}

// -----

// A product whose only reader takes it transposed is computed that way.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @step = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: 0.9 * x0[i0, i1] + x1[i1, i0]"

// CHECK-DAG: tdl.lambda @[[$PRODUCT:.*]] = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i1, r0] * x1[r0, i0])"
// CHECK-DAG: tdl.lambda @[[$STEP:.*]] = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: 0.9 * x0[i0, i1] + x1[i0, i1]"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[G:.*]] = smex.apply @[[$PRODUCT]](%arg1, %arg2) extents [6, 4, 5] "g" {{.*}} -> tensor<6x4xf32>
// CHECK-NEXT: smex.apply @[[$STEP]](%arg0, %[[G]]) extents [6, 4] "n"
// CHECK-NEXT: return
func.func @main(%v: tensor<6x4xf32>, %x: tensor<4x5xf32>, %y: tensor<5x6xf32>)
    -> tensor<6x4xf32> attributes {smex.outputs = ["n"]} {
  %g = smex.apply @matmul(%x, %y) extents [4, 6, 5] "g" : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %n = smex.apply @step(%v, %g) extents [6, 4] "n" : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x4xf32>
  return %n : tensor<6x4xf32>
}
