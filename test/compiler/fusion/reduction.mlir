// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// A map is composed into a reduction that reads each of its elements once.

tdl.lambda @square = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * x0[i0, i1]"
tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"

// CHECK: tdl.lambda @[[$F:.*]] = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0] * x0[i0, r0])"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @[[$F]](%arg0) extents [4, 5] "s"
func.func @main(%x: tensor<4x5xf32>) -> tensor<4xf32> attributes {smex.outputs = ["s"]} {
  %q = smex.apply @square(%x) extents [4, 5] "q" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = smex.apply @sum(%q) extents [4, 5] "s" : (tensor<4x5xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A reduction is never composed into its reader: what follows it would be
// computed of partial results, where the reduction is cut.

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[S:.*]] = smex.apply @sum
// CHECK-NEXT: smex.apply @exp(%[[S]])
func.func @main(%x: tensor<4x5xf32>) -> tensor<4xf32> attributes {smex.outputs = ["e"]} {
  %s = smex.apply @sum(%x) extents [4, 5] "s" : (tensor<4x5xf32>) -> tensor<4xf32>
  %e = smex.apply @exp(%s) extents [4] "e" : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}
