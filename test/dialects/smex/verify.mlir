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

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<4xf32>) {
  %b = smex.apply @neg(%a) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{changes what is no parameter}}
  smex.update %a by %b : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main(%a: tensor<4xf32>) {
  %w = smex.parameter "w" : tensor<4xf32>
  // expected-error @+1 {{needs a value that is computed}}
  smex.update %w by %a : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main(%a: tensor<5xf32>) {
  %w = smex.parameter "w" : tensor<4xf32>
  %b = smex.apply @neg(%a) extents [5] "b" : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @+1 {{gives a parameter of 'tensor<4xf32>' a value of 'tensor<5xf32>'}}
  smex.update %w by %b : tensor<4xf32>, tensor<5xf32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main() {
  %w = smex.parameter "w" : tensor<4xf32>
  %v = smex.parameter "v" : tensor<4xf32>
  %b = smex.apply @neg(%w) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{gives two parameters one value}}
  smex.update %w by %b : tensor<4xf32>, tensor<4xf32>
  smex.update %v by %b : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
func.func @main() {
  %w = smex.parameter "w" : tensor<4xf32>
  %b = smex.apply @neg(%w) extents [4] "b" : (tensor<4xf32>) -> tensor<4xf32>
  %c = smex.apply @neg(%w) extents [4] "c" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{is not the only update of parameter "w"}}
  smex.update %w by %b : tensor<4xf32>, tensor<4xf32>
  smex.update %w by %c : tensor<4xf32>, tensor<4xf32>
  return
}
