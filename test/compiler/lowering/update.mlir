// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics | FileCheck %s

// A parameter takes its next value where it is: both are divided alike, so that
// nothing moves.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @step = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] - x1[i0]"

  // CHECK: %[[W:.*]] = exec.buffer parameter "w" : tensor<4xf32> #smex.division<part 0>
  // CHECK: %[[N:.*]] = exec.buffer temporary "n" : tensor<4xf32> #smex.division<part 0>
  // CHECK-NOT: exec.fetch
  // CHECK: exec.update %[[W]] by %[[N]]
  func.func @main(%g: tensor<4xf32> {smex.name = "g", smex.cut = #smex.division<part 0>}) attributes {smex.outputs = []} {
    %w = smex.parameter "w" {cut = #smex.division<part 0>} : tensor<4xf32>
    %n = smex.apply @step(%w, %g) extents [4] "n" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    smex.update %w by %n : tensor<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// Decisions that divide them otherwise are refused.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @step = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] - x1[i0]"
  func.func @main(%g: tensor<4xf32> {smex.name = "g", smex.cut = #smex.division<part 0>}) attributes {smex.outputs = []} {
    %w = smex.parameter "w" {cut = #smex.division<part 0>} : tensor<4xf32>
    %n = smex.apply @step(%w, %g) extents [4] "n" {split = #smex.division<part 0>, cut = #smex.division<whole>}
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{gives a parameter the value of another region}}
    smex.update %w by %n : tensor<4xf32>, tensor<4xf32>
    return
  }
}
