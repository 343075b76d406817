// RUN: smex-opt %s --smex-training-step="loss=cross_entropy ignore-index=-1" --split-input-file | FileCheck %s

// Labels of cross entropy are numbers of classes, or one that counts for
// nothing. Where the output has a row per node of a graph, so have the labels.

tdl.lambda @mul = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] * x1[i1]"

// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<5xi64> {smex.name = "labels", smex.range = #smex.range<0 to 2 or -1>}
// CHECK-SAME: smex.graphs = [#smex.graph<sources "s" destinations "d" nodes 5 of "nodes" inputs ["x", "labels"] edges 7>]
func.func @main(%x: tensor<5x3xf32> {smex.name = "x"}) -> tensor<5x3xf32> attributes {smex.outputs = ["y"],
    smex.graphs = [#smex.graph<sources "s" destinations "d" nodes 5 of "nodes" inputs ["x"] edges 7>]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @mul(%x, %w) extents [5, 3] "y" : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// And where it has a row per edge of a graph that the model is compiled with.

tdl.lambda @mul = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] * x1[i1]"

// CHECK-LABEL: func.func @main
// CHECK-SAME: smex.edge_rows = [#smex.edge_rows<given 7 nodes [4, 4] edges 7 inputs ["x", "labels"] outputs ["y"]>]
func.func @main(%x: tensor<7x3xf32> {smex.name = "x"}) -> tensor<7x3xf32> attributes {smex.outputs = ["y"],
    smex.edge_rows = [#smex.edge_rows<given 7 nodes [4, 4] edges 7 inputs ["x"] outputs ["y"]>]} {
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @mul(%x, %w) extents [7, 3] "y" : (tensor<7x3xf32>, tensor<3xf32>) -> tensor<7x3xf32>
  return %y : tensor<7x3xf32>
}
