// RUN: smex-opt %s --smex-training-step="loss=given:loss loss-scale=64" | FileCheck %s

// Gradients are those of a multiple of the loss, and divided before the step.
// The loss itself stays as it is.

tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"

// CHECK: %[[W:.*]] = smex.parameter "w"
// CHECK: %[[LOSS:.*]] = smex.apply @sum
// CHECK: smex.apply {{.*}}(%[[LOSS]]) extents [] "loss.scaled"
// CHECK: smex.apply {{.*}} "gradient of loss" {gradient_of = "loss.scaled"
// CHECK: %[[DW:.*]] = smex.apply {{.*}} "gradient of w"
// CHECK: %[[UNSCALED:.*]] = smex.apply {{.*}}(%[[DW]]) extents [3] "gradient of w.unscaled"
// CHECK: smex.apply {{.*}}(%[[W]], %[[UNSCALED]]) {{.*}} "w.next"
// CHECK: return %[[LOSS]]
func.func @main() -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %loss = smex.apply @sum(%w) extents [3] "loss" : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
