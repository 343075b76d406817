// RUN: smex-opt %s --smex-training-step="loss=mse" --split-input-file --verify-diagnostics

// What of a model has no training step.

// expected-error @+1 {{the model has no output to take a loss of}}
func.func @main() attributes {smex.outputs = []} {
  return
}

// -----

// expected-error @+1 {{the model has an input "labels" of its own: give its loss with --loss given:NAME}}
func.func @main(%x: tensor<3xf32> {smex.name = "labels"}) -> tensor<3xf32> attributes {smex.outputs = ["y"]} {
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{output "y" is i64[3]: a loss needs a float}}
func.func @main(%x: tensor<3xi64> {smex.name = "x"}) -> tensor<3xi64> attributes {smex.outputs = ["y"]} {
  return %x : tensor<3xi64>
}

// -----

// expected-error @+1 {{output "y" is f32[0, 3]: a mean of no elements is no loss}}
func.func @main(%x: tensor<0x3xf32> {smex.name = "x"}) -> tensor<0x3xf32> attributes {smex.outputs = ["y"]} {
  return %x : tensor<0x3xf32>
}

// -----

tdl.lambda @volume = "(x0: f32[2]) -> f32: lambda: @det(x0[:, :])[]"

// expected-error @+1 {{node "volume": cannot be trained through: @det has no gradient}}
func.func @main() -> tensor<f32> attributes {smex.outputs = ["y"]} {
  %w = smex.parameter "w" : tensor<2x2xf32>
  %y = smex.apply @volume(%w) extents [] "y" {node = "volume"} : (tensor<2x2xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A row per edge, and some edges have no label.

tdl.lambda @mul = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] * x1[i0]"

// expected-error @+1 {{output "y" has a row per edge, and self-loops that are added, or spare edges of a plan with room for more, have no label}}
func.func @main(%x: tensor<7xf32> {smex.name = "x"}) -> tensor<7xf32> attributes {smex.outputs = ["y"],
    smex.edge_rows = [#smex.edge_rows<given 5 nodes [2, 2] edges 7 outputs ["y"]>]} {
  %w = smex.parameter "w" : tensor<7xf32>
  %y = smex.apply @mul(%x, %w) extents [7] "y" : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// A row per node, and a plan may have more of them than a run's graph.

tdl.lambda @mul = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] * x1[i1]"

// expected-error @+1 {{output "y" has a row per node, or per graph, of graphs that come when the plan runs, and rows of a plan with room for more, have no label: take --counted}}
func.func @main(%x: tensor<5x3xf32> {smex.name = "x"}) -> tensor<5x3xf32> attributes {smex.outputs = ["y"],
    smex.graphs = [#smex.graph<sources "s" destinations "d" nodes 5 of "nodes" inputs ["x"] edges 7>]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @mul(%x, %w) extents [5, 3] "y" : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
