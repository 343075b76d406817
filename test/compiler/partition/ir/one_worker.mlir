// RUN: smex-opt %s --smex-partition | FileCheck %s

// For one worker there are no steps: every division is empty, and nothing moves.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

// CHECK: smex.search = {algorithm = "recursive", lower_bound_bytes = 0 : i64, steps = []}
// CHECK-SAME: smex.ways = array<i64>
// CHECK: func.func @main(%arg0: tensor<4xf32> {smex.cut = #smex.division<>, smex.name = "x"})
// CHECK: smex.apply @neg(%arg0) extents [4] "y" {cut = #smex.division<>, split = #smex.division<>}
func.func @main(%x: tensor<4xf32> {smex.name = "x"}) -> tensor<4xf32> attributes {smex.outputs = ["y"]} {
  %y = smex.apply @neg(%x) extents [4] "y" : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
