// RUN: smex-opt %s --smex-training-step="loss=mse" --split-input-file | FileCheck %s

// The loss of the first output takes the place of all outputs. What it is
// compared with is an input.

tdl.lambda @mul = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] * x1[i0]"

// CHECK-DAG: tdl.lambda @[[$MSE:[a-z0-9_]+]] = "{{.*}}Sum(
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%{{.*}}: tensor<3xf32> {smex.name = "x"}, %[[LABELS:.*]]: tensor<3xf32> {smex.name = "labels"}) -> (tensor<f32> {smex.loss}) attributes {smex.outputs = ["loss"]}
// CHECK: %[[Y:.*]] = smex.apply @mul
// CHECK: smex.apply @[[$MSE]](%[[Y]], %[[LABELS]]) {{.*}}{node = "loss"}
func.func @main(%x: tensor<3xf32> {smex.name = "x"}) -> (tensor<3xf32>, tensor<3xf32>) attributes {smex.outputs = ["y", "x"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @mul(%x, %w) extents [3] "y" {node = "scale"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %x : tensor<3xf32>, tensor<3xf32>
}
