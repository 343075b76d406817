// RUN: smex-opt %s --smex-training-step="loss=given:inner" --smex-drop-unused | FileCheck %s

// A loss of the model's own may be any value of it, and there are no labels.
// Outputs whose number of rows a run must keep to are outputs in training, too;
// the others go, and what only they need.

tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"
tdl.lambda @double = "(x0: f32[0]) -> f32: lambda: x0[] * 2.0"

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: tensor<i64> {smex.name = "n"}) -> (tensor<f32> {smex.loss}, tensor<i64> {smex.range = #smex.range<0 to 8>}) attributes {smex.outputs = ["loss", "rows"]}
// CHECK-NOT: "outer"
// CHECK: return %{{.*}}, %arg0
func.func @main(%n: tensor<i64> {smex.name = "n"}) -> (tensor<f32>, tensor<i64> {smex.range = #smex.range<0 to 8>}) attributes {smex.outputs = ["y", "rows"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %inner = smex.apply @sum(%w) extents [3] "inner" : (tensor<3xf32>) -> tensor<f32>
  %outer = smex.apply @double(%inner) extents [] "outer" : (tensor<f32>) -> tensor<f32>
  return %outer, %n : tensor<f32>, tensor<i64>
}
