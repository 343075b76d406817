// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// A chain of maps becomes one; the tensors between are gone.

tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"
tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"

// CHECK: tdl.lambda @[[$F:.*]] = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: exp(exp(x0[i0, i1]) + x1[i1])"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = smex.apply @[[$F]](%arg0, %arg1) extents [4, 5] "y"
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<4x5xf32> {smex.name = "x"}, %b: tensor<5xf32> {smex.name = "b"})
    -> tensor<4x5xf32> attributes {smex.outputs = ["y"]} {
  %0 = smex.apply @exp(%x) extents [4, 5] "e" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = smex.apply @bias(%0, %b) extents [4, 5] "s" : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = smex.apply @exp(%1) extents [4, 5] "y" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
