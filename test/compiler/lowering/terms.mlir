// RUN: smex-opt %s --smex-lower-to-exec --split-input-file | FileCheck %s

// Two gradients of one weight, each a sum over the samples. Workers add up their
// own terms of both, and bring together what they have then.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"

  // CHECK-LABEL: exec.program @partitioned ways [2]
  // CHECK-NOT: exec.fetch
  // CHECK: %[[A:.*]] = exec.buffer temporary "a" : tensor<4x5xf32> partial #smex.division<term Sum>
  // CHECK: exec.compute @product({{.*}}) to %[[A]] extents [4, 5, 6] indices #smex.division<part 2>
  // CHECK-NOT: exec.reduce
  // CHECK: %[[B:.*]] = exec.buffer temporary "b" : tensor<4x5xf32> partial #smex.division<term Sum>
  // CHECK: exec.compute @product({{.*}}) to %[[B]] extents [4, 5, 6] indices #smex.division<part 2>
  // CHECK-NOT: exec.reduce
  // CHECK: %[[S:.*]] = exec.buffer temporary "s" : tensor<4x5xf32> partial #smex.division<term Sum>
  // CHECK: exec.compute @add(%[[A]], %[[B]]) to %[[S]] extents [4, 5] indices #smex.division<term Sum>
  // CHECK: %[[WHOLE:.*]] = exec.buffer temporary "s" : tensor<4x5xf32> #smex.division<part 0>
  // CHECK: exec.reduce Sum %[[S]] to %[[WHOLE]]{{$}}
  // CHECK: exec.output "s" %[[WHOLE]]
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2>, cut = #smex.division<term Sum>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum>, cut = #smex.division<part 0>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}

// -----

// Within a replica, operators are placed: what is in terms moves as any other
// tensor, each replica's own terms to where they are added up.

module attributes {smex.ways = array<i64: 2, 2>} {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"

  // CHECK-LABEL: exec.program @partitioned ways [2, 2]
  // CHECK: %[[A:.*]] = exec.buffer temporary "a" : tensor<4x5xf32> partial #smex.division<term Sum, placed 0>
  // CHECK: %[[B:.*]] = exec.buffer temporary "b" : tensor<4x5xf32> partial #smex.division<term Sum, placed 1>
  // CHECK: %[[MOVED:.*]] = exec.buffer temporary "a" : tensor<4x5xf32> partial #exec.read<@add operand 0
  // CHECK: exec.fetch %[[A]] to %[[MOVED]]
  // CHECK: exec.compute @add(%[[MOVED]], %[[B]]) to %[[S:.*]] extents [4, 5] indices #smex.division<term Sum, placed 1>
  // CHECK: exec.reduce Sum %[[S]] to %{{.*}}
  func.func @main(%x: tensor<6x4xf32> {smex.name = "x", smex.cut = #smex.division<part 0, whole>},
                  %y: tensor<6x5xf32> {smex.name = "y", smex.cut = #smex.division<part 0, whole>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["s"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a" {split = #smex.division<part 2, placed 0>, cut = #smex.division<term Sum, placed 0>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b" {split = #smex.division<part 2, placed 1>, cut = #smex.division<term Sum, placed 1>}
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s" {split = #smex.division<term Sum, placed 1>, cut = #smex.division<part 0, placed 1>}
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %s : tensor<4x5xf32>
  }
}
