// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// A decision divides dimensions that are there, in each step of the module, and
// into no more groups than the step has.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  // expected-error @+1 {{has a division that is none: step 1: no dimension 1}}
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<part 1>})
      -> tensor<4xf32> attributes {smex.outputs = ["r"]} {
    %r = smex.apply @relu(%x) extents [4] "r" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<4xf32> attributes {smex.outputs = ["r"]} {
    // expected-error @+1 {{has a division that is none: step 1: no group 2 of 2}}
    %r = smex.apply @relu(%x) extents [4] "r" {split = #smex.division<part 0>, cut = #smex.division<placed 2>}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<4xf32> attributes {smex.outputs = ["r"]} {
    // expected-error @+1 {{has a division that is none: 2 divisions for 1 steps}}
    %r = smex.apply @relu(%x) extents [4] "r" {split = #smex.division<part 0, whole>, cut = #smex.division<part 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  // expected-error @+1 {{is in terms, which only what an operator makes may be}}
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<term Sum>})
      -> tensor<4xf32> attributes {smex.outputs = ["r"]} {
    %r = smex.apply @relu(%x) extents [4] "r" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
