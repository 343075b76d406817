// RUN: not smex-opt %s --smex-training-step="loss=hinge" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: no loss "hinge"; there are cross_entropy[:AXIS], mse, l1, bce_with_logits and given:NAME
// RUN: not smex-opt %s --smex-training-step="loss=cross_entropy:1" 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: loss "cross_entropy:1": output "y" is f32[3], it has no such axis
// RUN: not smex-opt %s --smex-training-step="loss=cross_entropy:x" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: loss "cross_entropy:x": the axis is no number
// RUN: not smex-opt %s --smex-training-step="loss=given:z" 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: the model has no value "z" to take as its loss
// RUN: not smex-opt %s --smex-training-step="loss=given:y" 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: loss "y" is f32[3]: one float is needed
// RUN: not smex-opt %s --smex-training-step="loss=mse freeze=v" 2>&1 | FileCheck %s --check-prefix=FREEZE
// FREEZE: error: the model has no parameter "v" to freeze
// RUN: not smex-opt %s --smex-training-step="loss=mse freeze=w" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not smex-opt %s --smex-training-step="loss=mse freeze=w,listed" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: no parameter of the model has an influence on the loss that is smooth: there is nothing to train
// RUN: not smex-opt %s --smex-training-step="loss=mse optimizer=newton" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// OPTIMIZER: error: no optimizer "newton"; there are adagrad, adam, adamw, momentum, sgd
// RUN: not smex-opt %s --smex-training-step="loss=mse lr=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: an optimizer's numbers must be finite and not negative
// RUN: not smex-opt %s --smex-training-step="loss=mse loss-scale=0" 2>&1 | FileCheck %s --check-prefix=SCALE
// SCALE: error: a loss of f32 can be scaled by more than 0

// Where the model says what its file lists, that may be frozen, too.

tdl.lambda @mul = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] * x1[i0]"
func.func @main(%x: tensor<3xf32> {smex.name = "x"}) -> tensor<3xf32>
    attributes {smex.outputs = ["y"], smex.listed_parameters = ["listed"]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @mul(%x, %w) extents [3] "y" : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
