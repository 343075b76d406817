// RUN: smex-opt %s --smex-partition="gpus=4 ways=2,2" | FileCheck %s --check-prefix=ALIKE
// RUN: smex-opt %s --smex-partition="gpus=4 ways=2,2 link-costs=9,1" | FileCheck %s --check-prefix=SLOW
// RUN: not smex-opt %s --smex-partition="gpus=4 ways=2,2 link-costs=9" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not smex-opt %s --smex-partition="gpus=4 ways=2,2 link-costs=9,0" 2>&1 | FileCheck %s --check-prefix=ERROR

// Where links between the halves are slow, less crosses them, and more moves in
// all.
//
// Cut by rows twice, each GPU fetches the three quarters of w that it lacks, 12
// KiB, of which 8 KiB come from the other half. Cut by columns in the second
// step, it needs half of w, of which 4 KiB come from the other half, and the
// other 50 rows of x from its neighbour.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// ALIKE: bytes = 49152 : i64, lower_bound_bytes = 49152 : i64, optimal = true
// ALIKE: split = #smex.division<part 0, part 0>
// SLOW: bytes = 67584 : i64, lower_bound_bytes = 49152 : i64, optimal = false
// SLOW: split = #smex.division<part 0, part 1>
// ERROR: error: costs of links: a positive number for each of 2 steps
func.func @main(%x: tensor<200x64xf32> {smex.name = "x"})
    -> tensor<200x64xf32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<64x64xf32>
  %1 = smex.apply @matmul(%x, %w) extents [200, 64, 64] "y" : (tensor<200x64xf32>, tensor<64x64xf32>) -> tensor<200x64xf32>
  return %1 : tensor<200x64xf32>
}
