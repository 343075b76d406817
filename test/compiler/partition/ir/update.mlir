// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s

// A parameter and its next value are divided alike: after a step nothing moves.

tdl.lambda @step = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] - x1[i0, i1]"

// CHECK: %[[W:.*]] = smex.parameter "w" {cut = [[CUT:#smex.division<.*>]]}
// CHECK: %[[N:.*]] = smex.apply @step(%[[W]], %arg0) extents [64, 64] "n" {cut = [[CUT]],
// CHECK: smex.update %[[W]] by %[[N]]
func.func @main(%g: tensor<64x64xf32> {smex.name = "g"}) attributes {smex.outputs = []} {
  %w = smex.parameter "w" : tensor<64x64xf32>
  %n = smex.apply @step(%w, %g) extents [64, 64] "n" : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  smex.update %w by %n : tensor<64x64xf32>, tensor<64x64xf32>
  return
}
