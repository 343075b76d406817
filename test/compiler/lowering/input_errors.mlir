// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// Whoever runs a plan gives its inputs by name.

// expected-error @+1 {{has an input without a smex.name}}
func.func @main(%x: tensor<4xf32>) attributes {smex.outputs = []} {
  return
}

// -----

// expected-error @+1 {{has an input without a smex.name}}
func.func @main(%x: tensor<4xf32> {smex.name = 3}) attributes {smex.outputs = []} {
  return
}

// -----

module attributes {smex.ways = array<i64: 2>} {
  // expected-error @+1 {{has a smex.cut that is no #smex.division}}
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = "half"}) attributes {smex.outputs = []} {
    return
  }
}
