// RUN: smex-opt %s --smex-partition="gpus=4 ways=2,2 weights=1,1,1,3" | FileCheck %s
// RUN: not smex-opt %s --smex-partition="gpus=4 ways=2,2 weights=1,1,1" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not smex-opt %s --smex-partition="gpus=4 ways=2,2 weights=1,1,1,0" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not smex-opt %s --smex-partition="gpus=4 ways=2,2 weights=1,1,1,1,1" 2>&1 | FileCheck %s --check-prefix=ERROR

// Where GPUs are not alike, each group of a step gets a part in proportion to
// its weight. Here, in each half, the second GPU does three times as much as the
// first. The halves are alike, and equal weights are even parts.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK: smex.ways = array<i64: 2, 2>
// CHECK: smex.parameter "w" {cut = #smex.division<part {{[01]}}, part {{[01]}} by weights [1, 3]>}
// CHECK: smex.apply @matmul{{.*}} split = #smex.division<part {{[01]}}, part {{[01]}} by weights [1, 3]>}
// ERROR: error: weights: positive, and one for each group of a step
func.func @main(%x: tensor<200x64xf32> {smex.name = "x"})
    -> tensor<200x64xf32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<64x64xf32>
  %1 = smex.apply @matmul(%x, %w) extents [200, 64, 64] "y" : (tensor<200x64xf32>, tensor<64x64xf32>) -> tensor<200x64xf32>
  return %1 : tensor<200x64xf32>
}
