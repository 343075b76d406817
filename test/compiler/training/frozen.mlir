// RUN: smex-opt %s --smex-training-step="loss=given:loss freeze=v" | FileCheck %s

// What is frozen gets no gradient and no update. So does what is a constant, a
// state, or of integers, and what the model itself moves.

tdl.lambda @sum = "(x0: f32[1], x1: f32[1], x2: f32[1], x3: f32[1], x4: f32[1], x5: i64[1]) -> f32: lambda: Sum(lambda r0: x0[r0] + x1[r0] + x2[r0] + x3[r0] + x4[r0] + f32(x5[r0]))"
tdl.lambda @next = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 0.5"

// CHECK: %[[W:.*]] = smex.parameter "w"
// CHECK: %[[M:.*]] = smex.parameter "m"
// CHECK: smex.apply {{.*}}gradient_of = "loss"
// CHECK-NEXT: smex.apply {{.*}}gradient_of = "w"
// CHECK-NOT: gradient_of
// CHECK: smex.update %[[M]] by
// CHECK-NEXT: smex.update %[[W]] by
// CHECK-NOT: smex.update
func.func @main() -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %v = smex.parameter "v" : tensor<3xf32>
  %c = smex.parameter "c" {constant} : tensor<3xf32>
  %s = smex.parameter "s" {state} : tensor<3xf32>
  %m = smex.parameter "m" : tensor<3xf32>
  %i = smex.parameter "i" : tensor<3xi64>
  %loss = smex.apply @sum(%w, %v, %c, %s, %m, %i) extents [3] "loss" : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>) -> tensor<f32>
  %n = smex.apply @next(%m) extents [3] "m.next" : (tensor<3xf32>) -> tensor<3xf32>
  smex.update %m by %n : tensor<3xf32>, tensor<3xf32>
  return %loss : tensor<f32>
}
