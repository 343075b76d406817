// RUN: smex-opt %s --smex-partition="gpus=2 always-cut" | FileCheck %s

// An operator whose result is that of an opaque function is never cut, even
// where all is cut that can be: each worker computes it as a whole. Its result
// is cut.

tdl.lambda @places = "(x0: bool[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"

// CHECK: smex.apply @places(%arg0) extents [64] "y" {cut = #smex.division<part 0>, split = #smex.division<whole>}
func.func @main(%x: tensor<64xi1> {smex.name = "x"}) -> tensor<64xi64> attributes {smex.outputs = ["y"]} {
  %y = smex.apply @places(%x) extents [64] "y" : (tensor<64xi1>) -> tensor<64xi64>
  return %y : tensor<64xi64>
}
