// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// Whoever runs a plan gives its inputs by name.

// expected-error @+1 {{has an input without a smex.name}}
func.func @main(%x: tensor<4xf32>) attributes {smex.outputs = []} {
  return
}
