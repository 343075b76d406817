// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// An output of the model, and the next value of a parameter, are read from
// outside, too: they are stored, whoever else reads them.

tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = smex.apply @exp(%arg0) extents [4] "e"
// CHECK-NEXT: %[[Y:.*]] = smex.apply @exp(%[[E]]) extents [4] "y"
// CHECK-NEXT: %[[Z:.*]] = smex.apply @exp(%[[Y]]) extents [4] "z"
// CHECK-NEXT: smex.update %{{.*}} by %[[Y]]
// CHECK-NEXT: return %[[E]], %[[Z]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["e", "z"]} {
  %w = smex.parameter "w" : tensor<4xf32>
  %e = smex.apply @exp(%x) extents [4] "e" : (tensor<4xf32>) -> tensor<4xf32>
  %y = smex.apply @exp(%e) extents [4] "y" : (tensor<4xf32>) -> tensor<4xf32>
  %z = smex.apply @exp(%y) extents [4] "z" : (tensor<4xf32>) -> tensor<4xf32>
  smex.update %w by %y : tensor<4xf32>, tensor<4xf32>
  return %e, %z : tensor<4xf32>, tensor<4xf32>
}
