// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Each kind of parameter becomes a buffer of its role. One that nothing reads
// becomes none.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @add = "(x0: f32[1], x1: f32[1], x2: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0] + x2[i0]"

  // CHECK-NOT: unread
  // CHECK: exec.buffer parameter "weight" : tensor<4xf32> #smex.division<part 0> {drawn = 5.000000e-01 : f64}
  // CHECK: exec.buffer state "momentum" : tensor<4xf32> #smex.division<part 0>
  // CHECK: exec.buffer constant "table" : tensor<4xf32> #smex.division<part 0>
  func.func @main() -> tensor<4xf32> attributes {smex.outputs = ["y"]} {
    %u = smex.parameter "unread" {cut = #smex.division<part 0>} : tensor<4xf32>
    %w = smex.parameter "weight" {cut = #smex.division<part 0>, drawn = 0.5 : f64} : tensor<4xf32>
    %m = smex.parameter "momentum" {cut = #smex.division<part 0>, state} : tensor<4xf32>
    %k = smex.parameter "table" {cut = #smex.division<part 0>, constant} : tensor<4xf32>
    %y = smex.apply @add(%w, %m, %k) extents [4] "y" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
