// RUN: smex-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{is not a lambda}}
tdl.lambda @broken = "(x0: f32[1]) -> f32: lambda i0: x0["

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{applies @nobody, which is no tdl.lambda}}
  %b = smex.apply @nobody(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 2 operands, but @neg takes 1}}
  %b = smex.apply @neg(%a, %a) extents [4] "b" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{gives 2 extents, but @neg has 1 index variables}}
  %b = smex.apply @neg(%a) extents [4, 4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf64>) -> tensor<4xf32> {
  // expected-error @+1 {{passes f64[4] for operand x0 of @neg}}
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf64>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{gives f32[5], which is not what its extents say}}
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<5xf32>
  return %b : tensor<5xf32>
}
