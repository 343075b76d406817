// RUN: smex-opt %s --smex-training-step="loss=given:loss optimizer=sgd lr=0.5" --smex-drop-unused | FileCheck %s

// The gradient of a matrix product by its weight is a matrix product again: of
// the gradient of the result and the input. The weight takes its new value after
// the step.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda: Sum(lambda r0, r1: x0[r0, r1])"

// CHECK-DAG: tdl.lambda @[[$BY_WEIGHT:[a-z0-9_]+]] = "{{.*}}Sum(lambda r0: x0[r0, i1] * x1[r0, i0])
// CHECK-DAG: tdl.lambda @[[$STEP:[a-z0-9_]+]] = "{{.*}}x0[i0, i1] - 0.5 * x1[i0, i1]"
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = smex.parameter "w"
// CHECK: %[[DY:.*]] = smex.apply {{.*}} "gradient of y" {gradient_of = "y", node = "total"}
// CHECK: %[[DW:.*]] = smex.apply @[[$BY_WEIGHT]](%[[DY]], %arg0) extents [8, 5, 4] "gradient of w" {gradient_of = "w", node = "product"}
// CHECK: %[[NEXT:.*]] = smex.apply @[[$STEP]](%[[W]], %[[DW]]) extents [8, 5] "w.next" {node = "optimizer of w"}
// CHECK: smex.update %[[W]] by %[[NEXT]]
func.func @main(%x: tensor<4x8xf32> {smex.name = "x"}) -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<8x5xf32>
  %y = smex.apply @matmul(%x, %w) extents [4, 5, 8] "y" {node = "product"} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %loss = smex.apply @sum(%y) extents [4, 5] "loss" {node = "total"} : (tensor<4x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
