// RUN: smex-opt %s --split-input-file --verify-diagnostics

// A parameter is there before its next value is computed: the search divides
// both alike, and knows the parameter by then.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) {
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  %w = smex.parameter "w" : tensor<4xf32>
  // expected-error @+1 {{gives parameter "w" a value that is computed before the parameter is there}}
  smex.update %w by %b : tensor<4xf32>, tensor<4xf32>
  return
}
