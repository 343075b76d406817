// RUN: smex-opt %s --smex-training-step="loss=given:loss optimizer=momentum" | FileCheck %s

// An optimizer's history is a parameter that is zero when training begins; of a
// parameter of 16 bits, it is f32.

tdl.lambda @sum = "(x0: f32[1], x1: f16[1]) -> f32: lambda: Sum(lambda r0: x0[r0] * f32(x1[r0]))"

// CHECK: smex.parameter "w" : tensor<3xf32>
// CHECK: smex.parameter "h" : tensor<3xf16>
// CHECK-DAG: %[[OF_W:.*]] = smex.parameter "w.momentum_buffer" {drawn = 0.000000e+00 : f64, state} : tensor<3xf32>
// CHECK-DAG: %[[OF_H:.*]] = smex.parameter "h.momentum_buffer" {drawn = 0.000000e+00 : f64, state} : tensor<3xf32>
// CHECK-DAG: smex.update %[[OF_W]] by
// CHECK-DAG: smex.update %[[OF_H]] by
func.func @main() -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %h = smex.parameter "h" : tensor<3xf16>
  %loss = smex.apply @sum(%w, %h) extents [3] "loss" : (tensor<3xf32>, tensor<3xf16>) -> tensor<f32>
  return %loss : tensor<f32>
}
