// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// A tensor with two readers stays: composed into both, the exponential would be
// computed twice.

tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"
tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = smex.apply @exp(%arg0)
// CHECK-NEXT: smex.apply @neg(%[[E]])
// CHECK-NEXT: smex.apply @exp(%[[E]])
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["y", "z"]} {
  %e = smex.apply @exp(%x) extents [4] "e" : (tensor<4xf32>) -> tensor<4xf32>
  %y = smex.apply @neg(%e) extents [4] "y" : (tensor<4xf32>) -> tensor<4xf32>
  %z = smex.apply @exp(%e) extents [4] "z" : (tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
