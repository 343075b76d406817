// RUN: smex-opt %s --split-input-file --verify-diagnostics

// A tensor has a fixed shape, and elements that lambdas know.

func.func @main() {
  // expected-error @+1 {{'smex.parameter' op result #0 must be statically shaped tensor of elements that lambdas know, but got 'tensor<?xf32>'}}
  %w = smex.parameter "w" : tensor<?xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of elements that lambdas know, but got 'tensor<4xindex>'}}
  %w = smex.parameter "w" : tensor<4xindex>
  return
}

// -----

// Signed integers are those that say nothing of a sign: i32, not si32.
tdl.lambda @neg = "(x0: i32[1]) -> i32: lambda i0: -x0[i0]"
func.func @main(%x: tensor<4xsi32>) {
  // expected-error @+1 {{operand #0 must be variadic of statically shaped tensor of elements that lambdas know, but got 'tensor<4xsi32>'}}
  %y = smex.apply @neg(%x) extents [4] "y" : (tensor<4xsi32>) -> tensor<4xi32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of elements that lambdas know, but got 'tensor<4xcomplex<f32>>'}}
  %y = smex.apply @neg(%x) extents [4] "y" : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}
