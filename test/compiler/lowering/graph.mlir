// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Which inputs are the graph that a model works on goes along to the plan.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @read = "(x0: i64[1], x1: i64[1]) -> i64: lambda i0: x0[i0] - x1[i0]"

  // CHECK: exec.program @partitioned ways [2] attributes {graphs = [#smex.graph<sources "from" destinations "to" nodes 3 inputs ["x"] edges 4 self_loops>]} {
  func.func @main(%from: tensor<4xi64> {smex.name = "from", smex.cut = #smex.division<part 0>},
                  %to: tensor<4xi64> {smex.name = "to", smex.cut = #smex.division<part 0>})
      -> tensor<4xi64> attributes {smex.outputs = ["y"],
      smex.graphs = [#smex.graph<sources "from" destinations "to" nodes 3 inputs ["x"] edges 4 self_loops>]} {
    %y = smex.apply @read(%from, %to) extents [4] "y" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    return %y : tensor<4xi64>
  }
}
