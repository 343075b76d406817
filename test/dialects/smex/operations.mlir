// RUN: smex-opt %s | FileCheck %s
// RUN: smex-opt %s | smex-opt | FileCheck %s

// The text of each operation: what is printed is read again.

tdl.lambda @step = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] - x1[i0]"

// CHECK-LABEL: func.func @main
func.func @main(%g: tensor<4xf32> {smex.name = "g"}) attributes {smex.outputs = []} {
  // A weight, one whose first bytes are drawn, one of the optimizer, and one
  // that is no weight.
  // CHECK: %[[W:.*]] = smex.parameter "w" : tensor<4xf32>
  %w = smex.parameter "w" : tensor<4xf32>
  // CHECK: smex.parameter "d" {drawn = 1.000000e-01 : f64} : tensor<8x2xf32>
  %d = smex.parameter "d" {drawn = 0.1 : f64} : tensor<8x2xf32>
  // CHECK: smex.parameter "m" {state} : tensor<4xf32>
  %m = smex.parameter "m" {state} : tensor<4xf32>
  // CHECK: smex.parameter "k" {ascending, constant} : tensor<9xi64>
  %k = smex.parameter "k" {constant, ascending} : tensor<9xi64>
  // CHECK: %[[N:.*]] = smex.apply @step(%[[W]], %arg0) extents [4] "n" {gradient_of = "w", node = "sgd"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = smex.apply @step(%w, %g) extents [4] "n" {node = "sgd", gradient_of = "w"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: smex.update %[[W]] by %[[N]] : tensor<4xf32>, tensor<4xf32>
  smex.update %w by %n : tensor<4xf32>, tensor<4xf32>
  return
}
