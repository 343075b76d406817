// RUN: smex-opt %s --smex-training-step="loss=given:loss optimizer=sgd lr=0.5" --smex-drop-unused | FileCheck %s

// Three dimensions read as one: each element is found by its three digits, and
// its gradient is read, not searched for.

tdl.lambda @flat = "(x0: f32[4]) -> f32: lambda i0, i1: x0[i0, i1 // 20, i1 // 4 % 5, i1 % 4]"
tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda: Sum(lambda r0, r1: x0[r0, r1])"

// CHECK-DAG: tdl.lambda @[[$BACK:[a-z0-9_]+]] = "(x0: f32[2]) -> f32: lambda i0, i1, i2, i3: x0[i0, i1 * 20 + i2 * 4 + i3]"
// CHECK-LABEL: func.func @main
// CHECK: smex.apply @[[$BACK]]({{.*}}) extents [2, 3, 5, 4] "gradient of w"
func.func @main(%x: tensor<1xf32> {smex.name = "x"}) -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<2x3x5x4xf32>
  %y = smex.apply @flat(%w) extents [2, 60] "y" {node = "flattened"} : (tensor<2x3x5x4xf32>) -> tensor<2x60xf32>
  %loss = smex.apply @sum(%y) extents [2, 60] "loss" {node = "total"} : (tensor<2x60xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
