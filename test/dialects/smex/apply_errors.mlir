// RUN: smex-opt %s --split-input-file --verify-diagnostics

// An application fits its lambda: rank, type, extents and result.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<2x2xf32>) {
  // expected-error @+1 {{passes f32[2, 2] for operand x0 of @neg}}
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<2x2xf32>) -> tensor<4xf32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) {
  // expected-error @+1 {{gives f32[4, 1], which is not what its extents say}}
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) {
  // expected-error @+1 {{gives f64[4], which is not what its extents say}}
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Only the leading extents are in the result's shape.
tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"
func.func @main(%a: tensor<4xf32>) {
  // expected-error @+1 {{has a negative extent}}
  %b = smex.apply @sum(%a) extents [-4] "b" : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// A function is a symbol, but no lambda.
func.func @main(%a: tensor<4xf32>) {
  // expected-error @+1 {{applies @main, which is no tdl.lambda}}
  %b = smex.apply @main(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{'smex.apply' op requires attribute 'extents'}}
  %b = "smex.apply"() {lambda = @f, name = "b"} : () -> tensor<4xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{'smex.parameter' op requires attribute 'name'}}
  %b = "smex.parameter"() : () -> tensor<4xf32>
  return
}
