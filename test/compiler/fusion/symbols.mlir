// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// Each distinct lambda has one symbol: two equal chains share the composed one.
// It takes no symbol that is there already, and lambdas that nothing applies any
// more are gone.

// CHECK-NOT: tdl.lambda @exp
// CHECK: tdl.lambda @[[$F:fused_[1-9]]] = "(x0: f32[1]) -> f32: lambda i0: exp(exp(x0[i0]))"
// CHECK-NOT: tdl.lambda
// CHECK: func.func private @fused_0()
func.func private @fused_0()
tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @[[$F]](%arg0) extents [4] "y"
// CHECK-NEXT: smex.apply @[[$F]](%arg1) extents [5] "z"
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>)
    -> (tensor<4xf32>, tensor<5xf32>) attributes {smex.outputs = ["y", "z"]} {
  %0 = smex.apply @exp(%a) extents [4] "e" : (tensor<4xf32>) -> tensor<4xf32>
  %y = smex.apply @exp(%0) extents [4] "y" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = smex.apply @exp(%b) extents [5] "f" : (tensor<5xf32>) -> tensor<5xf32>
  %z = smex.apply @exp(%1) extents [5] "z" : (tensor<5xf32>) -> tensor<5xf32>
  return %y, %z : tensor<4xf32>, tensor<5xf32>
}
