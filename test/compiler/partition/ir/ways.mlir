// RUN: smex-opt %s --smex-partition=gpus=6 | FileCheck %s --check-prefix=FACTORS
// RUN: smex-opt %s --smex-partition="gpus=6 ways=2,3" | FileCheck %s --check-prefix=ASKED
// RUN: smex-opt %s --smex-partition="gpus=6 ways=6 always-cut" | FileCheck %s --check-prefix=CUT
// RUN: not smex-opt %s --smex-partition="gpus=6 ways=4" 2>&1 | FileCheck %s --check-prefix=REST
// RUN: not smex-opt %s --smex-partition="gpus=6 ways=2" 2>&1 | FileCheck %s --check-prefix=FEW

// The steps that the search takes: prime factors, the largest first, or those
// asked for. The bias is small enough to be whole, unless all is to be cut.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"

// FACTORS: smex.ways = array<i64: 3, 2>
// FACTORS: smex.parameter "b" {cut = #smex.division<whole, whole>}
// ASKED: smex.ways = array<i64: 2, 3>
// CUT: smex.ways = array<i64: 6>
// CUT: smex.parameter "b" {cut = #smex.division<part 0>}
// REST: error: steps of these ways do not divide 6 workers
// FEW: error: steps of these ways leave groups of 3 workers
func.func @main(%x: tensor<9600x64xf32> {smex.name = "x"})
    -> tensor<9600x12xf32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<64x12xf32>
  %b = smex.parameter "b" : tensor<12xf32>
  %1 = smex.apply @matmul(%x, %w) extents [9600, 12, 64] "y0" : (tensor<9600x64xf32>, tensor<64x12xf32>) -> tensor<9600x12xf32>
  %2 = smex.apply @bias(%1, %b) extents [9600, 12] "y" : (tensor<9600x12xf32>, tensor<12xf32>) -> tensor<9600x12xf32>
  return %2 : tensor<9600x12xf32>
}
