// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// A tensor at least twice as large as all that it is made of, and cheap, is
// computed by each of its readers, and not stored.

tdl.lambda @outer = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0, i1: x0[i0] + x1[i1]"
tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @[[F:.*]](%arg0, %arg1) extents [8, 8] "y"
// CHECK-NEXT: smex.apply @[[F]](%arg0, %arg1) extents [8, 8] "z"
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {smex.outputs = ["y", "z"]} {
  %o = smex.apply @outer(%a, %b) extents [8, 8] "o" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y = smex.apply @exp(%o) extents [8, 8] "y" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = smex.apply @exp(%o) extents [8, 8] "z" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// One that is not that much larger is stored: its readers then read it alone.

tdl.lambda @outer = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0, i1: x0[i0] + x1[i1]"
tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[O:.*]] = smex.apply @outer(%arg0, %arg1) extents [8, 2] "o"
// CHECK-NEXT: smex.apply @exp(%[[O]])
// CHECK-NEXT: smex.apply @exp(%[[O]])
func.func @main(%a: tensor<8xf32>, %b: tensor<2xf32>)
    -> (tensor<8x2xf32>, tensor<8x2xf32>) attributes {smex.outputs = ["y", "z"]} {
  %o = smex.apply @outer(%a, %b) extents [8, 2] "o" : (tensor<8xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %y = smex.apply @exp(%o) extents [8, 2] "y" : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %z = smex.apply @exp(%o) extents [8, 2] "z" : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return %y, %z : tensor<8x2xf32>, tensor<8x2xf32>
}
