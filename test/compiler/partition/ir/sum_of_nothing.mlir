// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s

// A sum over an empty dimension has no terms to divide, along its other dimension either.

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda: Sum(lambda r0, r1: x0[r0, r1])"

// CHECK: steps = [{bytes = 0 : i64, lower_bound_bytes = 0 : i64, optimal = true, ways = 2 : i64}]
// CHECK: smex.apply @sum(%arg0) extents [4, 0] "y" {cut = #smex.division<whole>, split = #smex.division<whole>}
func.func @main(%x: tensor<4x0xf32> {smex.name = "x"}) -> tensor<f32> attributes {smex.outputs = ["y"]} {
  %y = smex.apply @sum(%x) extents [4, 0] "y" : (tensor<4x0xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
