// RUN: smex-opt %s --smex-lower-to-exec --verify-diagnostics

// The result of an opaque function is computed as a whole: no worker can compute
// a part of it.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @places = "(x0: bool[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"
  func.func @main(%x: tensor<4xi1> {smex.name = "x", smex.cut = #smex.division<whole>})
      -> tensor<4xi64> attributes {smex.outputs = ["y"]} {
    // expected-error @+1 {{cuts index variable 0 of @places, which numbers the result of an opaque function}}
    %y = smex.apply @places(%x) extents [4] "y" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xi1>) -> tensor<4xi64>
    return %y : tensor<4xi64>
  }
}
