// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// A map whose elements are read several times each stays: composed into its
// reader, each exponential would be computed once per row.

tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"
tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = smex.apply @exp(%arg1)
// CHECK-NEXT: smex.apply @bias(%arg0, %[[E]])
func.func @main(%x: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> attributes {smex.outputs = ["y"]} {
  %e = smex.apply @exp(%b) extents [5] "e" : (tensor<5xf32>) -> tensor<5xf32>
  %y = smex.apply @bias(%x, %e) extents [4, 5] "y" : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
