// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// An output's range and which one is the loss go along to the plan, and so does
// the node that an instruction serves: a sum that is cut, and the addition of its parts.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"
  tdl.lambda @count = "(x0: i64[1]) -> i64: lambda: Sum(lambda r0: x0[r0])"

  // CHECK-LABEL: exec.program @partitioned ways [2]
  // CHECK: exec.compute @sum({{.*}}) to %[[PART:.*]] extents [4] indices #smex.division<part 0> {node = "total"}
  // CHECK: exec.reduce Sum %[[PART]] to %[[TOTAL:.*]] {node = "total"}
  // CHECK: exec.compute @count({{.*}}) to %[[PART:.*]] extents [4] indices #smex.division<part 0>{{$}}
  // CHECK: exec.reduce Sum %[[PART]] to %[[COUNT:.*]]{{$}}
  // CHECK: exec.output "cost" %[[TOTAL]] {loss}
  // CHECK: exec.output "rows.count" %[[COUNT]] {range = #smex.range<0 to 3>}
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %n: tensor<4xi64> {smex.name = "n", smex.cut = #smex.division<part 0>})
      -> (tensor<f32> {smex.loss}, tensor<i64> {smex.range = #smex.range<0 to 3>})
      attributes {smex.outputs = ["cost", "rows.count"]} {
    %cost = smex.apply @sum(%x) extents [4] "cost" {node = "total", split = #smex.division<part 0>, cut = #smex.division<whole>}
        : (tensor<4xf32>) -> tensor<f32>
    %count = smex.apply @count(%n) extents [4] "count" {split = #smex.division<part 0>, cut = #smex.division<whole>}
        : (tensor<4xi64>) -> tensor<i64>
    return %cost, %count : tensor<f32>, tensor<i64>
  }
}
