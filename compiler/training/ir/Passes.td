#ifndef SMEX_TRAINING_PASSES_TD
#define SMEX_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TrainingStep : Pass<"smex-training-step", "mlir::ModuleOp"> {
  let summary = "adds the loss, the gradients and the optimizer's step";
  let description = [{
    The model's function gets the training graph (thesis section 3.5.1,
    compiler/training): an input `labels`, unless the loss is given; the loss of
    the first output, which takes the place of all outputs; the gradient of each
    parameter that is trained; parameters with `state` for the optimizer's
    history; and a smex.update for each of these. Nothing is removed: what is
    equal or unused then is for smex-merge-equal and smex-drop-unused.
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"\"cross_entropy\"",
           "cross_entropy[:AXIS], mse, l1, bce_with_logits, or given:NAME">,
    Option<"ignoreIndex", "ignore-index", "int64_t", /*default=*/"-100",
           "labels that don't count">,
    Option<"counted", "counted", "std::string", /*default=*/"",
           "the input that says which rows count; of given losses, one of the "
           "model">,
    ListOption<"freeze", "freeze", "std::string", "parameters not to train">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"\"sgd\"",
           "sgd, momentum, adam, adamw, adagrad">,
    Option<"learningRate", "lr", "double", /*default=*/"0",
           "learning rate (default: the optimizer's)">,
    Option<"momentum", "momentum", "double", /*default=*/"0.9", "of momentum">,
    Option<"weightDecay", "weight-decay", "double", /*default=*/"0",
           "(default: the optimizer's)">,
    Option<"lossScale", "loss-scale", "double", /*default=*/"1",
           "take gradients of so many times the loss">,
  ];
}

def MergeEqual : Pass<"smex-merge-equal", "mlir::ModuleOp"> {
  let summary = "gradients that are equal are computed once";
  let description = [{
    Of the applications that follow the gradient of the loss, those that repeat
    an earlier one, the same lambda of the same tensors, become that one. What
    the model itself repeats stays. An opaque function may draw numbers, and
    differently each time: it stays, too.

    Upstream's `cse` merges no applications, for each has a name.
  }];
}

def DropUnused : Pass<"smex-drop-unused", "mlir::ModuleOp"> {
  let summary = "erases what neither an output nor an update needs";
  let description = [{
    Applications, parameters and lambdas; inputs stay.
  }];
}

#endif
