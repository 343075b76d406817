// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// A sum that grows by one product at a time stays that: composed into one, it
// would keep all products alive until the last.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {smex.outputs = ["s", "t"]} {
  // CHECK-COUNT-2: smex.apply @matmul
  %p = smex.apply @matmul(%a, %b) extents [4, 4, 4] "p" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = smex.apply @matmul(%b, %c) extents [4, 4, 4] "q" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: smex.apply @add
  %s1 = smex.apply @add(%p, %q) extents [4, 4] "s1" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: smex.apply @matmul
  %r = smex.apply @matmul(%c, %a) extents [4, 4, 4] "r" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: smex.apply @add
  %s = smex.apply @add(%s1, %r) extents [4, 4] "s" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // What is all there already is added up at once.
  // CHECK-NEXT: smex.apply @fused
  // CHECK-NEXT: return
  %t1 = smex.apply @add(%a, %b) extents [4, 4] "t1" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = smex.apply @add(%t1, %c) extents [4, 4] "t" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Two large tensors are read where the next one is made, not much later: only
// small ones are in between.

tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0]"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @sum
// CHECK-NEXT: smex.apply @fused
// CHECK-NEXT: return
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> tensor<4x4xf32> attributes {smex.outputs = ["t"]} {
  %s = smex.apply @add(%a, %b) extents [4, 4] "s" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = smex.apply @sum(%b) extents [4, 4] "m" : (tensor<4x4xf32>) -> tensor<4xf32>
  %t = smex.apply @bias(%s, %m) extents [4, 4] "t" : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %t : tensor<4x4xf32>
}
