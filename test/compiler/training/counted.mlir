// RUN: smex-opt %s --smex-training-step="loss=given:loss counted=rows optimizer=sgd lr=0.5" | FileCheck %s
// RUN: not smex-opt %s --smex-training-step="loss=given:loss counted=at" 2>&1 | FileCheck %s --check-prefix=INDEX

// Of a loss that the model computes, one of its inputs says which rows count: 1,
// and 0 for those that do not. What other inputs may be stays as it was.

tdl.lambda @at = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: x0[x1[i0]]"
tdl.lambda @some = "(x0: f32[1], x1: i64[1]) -> f32: lambda: Sum(lambda r0: x0[r0] * f32(x1[r0]))"

// INDEX: error: --counted: input "at" says which elements of another tensor are read
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<3xi64> {smex.name = "at", smex.range = #smex.range<0 to 4>}
// CHECK-SAME: %arg1: tensor<3xi64> {smex.name = "rows", smex.range = #smex.range<1 to 1 or 0>}
func.func @main(%at: tensor<3xi64> {smex.name = "at", smex.range = #smex.range<0 to 4>}, %rows: tensor<3xi64> {smex.name = "rows"}) -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<5xf32>
  %y = smex.apply @at(%w, %at) extents [3] "y" : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  %loss = smex.apply @some(%y, %rows) extents [3] "loss" : (tensor<3xf32>, tensor<3xi64>) -> tensor<f32>
  return %loss : tensor<f32>
}
