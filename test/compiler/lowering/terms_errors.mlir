// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// A maximum has no terms that are added up.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Max(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    // expected-error @+1 {{has a result in terms, but is no sum of floats of 32 or 64 bits or of integers}}
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// Sums of 16-bit floats are f32 until they are whole.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f16[2], x1: f16[2]) -> f16: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f16[2], x1: f16[2]) -> f16: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf16> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf16> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf16> attributes {smex.outputs = ["s"]} {
    // expected-error @+1 {{has a result in terms, but is no sum of floats of 32 or 64 bits or of integers}}
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf16>, tensor<6x5xf16>) -> tensor<4x5xf16>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf16>, tensor<6x5xf16>) -> tensor<4x5xf16>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf16>, tensor<4x5xf16>) -> tensor<4x5xf16>
    return %s : tensor<4x5xf16>
  }
}

// -----

// Of two samples, the third of three groups has none, and no term.

module attributes {smex.ways = array<i64: 3>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<2x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<2x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    // expected-error @+1 {{has a result in terms, of which some workers have none}}
    %a = smex.apply @product(%x, %y) extents [4, 5, 2] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 2] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// The operator is not cut along what it sums over.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    // expected-error @+1 {{has a result in other terms than it makes}}
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 0>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 0>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// A product of sums is no sum of products.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    // expected-error @+1 {{is divided into terms, but @add is no linear map}}
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// What is whole would be added once per term.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<part 0>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    // expected-error @+1 {{reads "b", which is in other terms than the operator}}
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// A reader that is not divided into terms needs whole sums.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    // expected-error @+1 {{reads "a", which is in other terms than the operator}}
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// Who wants an output wants all of it.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    // expected-error @+1 {{has "a" in terms, but others than operators use it}}
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %a : tensor<4x5xf32>
  }
}
