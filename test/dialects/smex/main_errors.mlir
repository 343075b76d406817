// RUN: smex-opt %s --smex-training-step --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-merge-equal --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-drop-unused --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-fuse-maps --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-segment-reductions --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-partition --split-input-file --verify-diagnostics
// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// A model is a func.func @main of tensors and operations of smex. Each pass on a
// model refuses what is none.

// expected-error @+1 {{the module has no func.func @main}}
module {
}

// -----

// expected-error @+1 {{the module has no func.func @main}}
module {
  tdl.lambda @main = "() -> f32: lambda: 0"
}

// -----

// expected-error @+1 {{must have a body of one block}}
func.func private @main(tensor<4xf32>)

// -----

// expected-error @+1 {{must have a body of one block}}
func.func @main() attributes {smex.outputs = []} {
  return
^bb1(%x: tensor<4xf32>):
  return
}

// -----

// expected-error @+1 {{has an input that is no tensor of fixed shape and of elements that lambdas know: number 1, 'f32'}}
func.func @main(%x: tensor<4xf32>, %y: f32) attributes {smex.outputs = []} {
  return
}

// -----

// expected-error @+1 {{has an input that is no tensor of fixed shape and of elements that lambdas know: number 0, 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) attributes {smex.outputs = []} {
  return
}

// -----

// expected-error @+1 {{has an input that is no tensor of fixed shape and of elements that lambdas know: number 0, 'tensor<*xf32>'}}
func.func @main(%x: tensor<*xf32>) attributes {smex.outputs = []} {
  return
}

// -----

// expected-error @+1 {{number 0, 'tensor<4xindex>'}}
func.func @main(%x: tensor<4xindex>) attributes {smex.outputs = []} {
  return
}

// -----

func.func private @other(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {smex.outputs = ["y"]} {
  // expected-error @+1 {{'func.call' op is not of a model: in @main there are only smex.parameter, smex.apply and smex.update}}
  %y = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What is in a module of its own is nothing that @main computes.
func.func @main() attributes {smex.outputs = []} {
  // expected-error @+1 {{'builtin.module' op is not of a model}}
  builtin.module {
    tdl.lambda @zero = "() -> f32: lambda: 0"
  }
  return
}

// -----

// expected-error @+1 {{has 1 results, but smex.outputs has 0 names}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{has 1 results, but smex.outputs has 2 names}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {smex.outputs = ["x", "y"]} {
  return %x : tensor<4xf32>
}
