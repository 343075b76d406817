// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Every worker computes the whole result of an opaque function, even where it
// then owns only a part, which it takes from what it has computed.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @places = "(x0: bool[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"

  // CHECK: %[[ALL:.*]] = exec.buffer temporary "y" : tensor<4xi64> #smex.division<whole>
  // CHECK: exec.compute @places(%{{.*}}) to %[[ALL]] extents [4] indices #smex.division<whole>
  // CHECK: %[[PART:.*]] = exec.buffer temporary "y" : tensor<4xi64> #smex.division<part 0>
  // CHECK: exec.fetch %[[ALL]] to %[[PART]]
  func.func @main(%x: tensor<4xi1> {smex.name = "x", smex.cut = #smex.division<whole>})
      -> tensor<4xi64> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @places(%x) extents [4] "y" {split = #smex.division<whole>, cut = #smex.division<part 0>}
        : (tensor<4xi1>) -> tensor<4xi64>
    return %y : tensor<4xi64>
  }
}
