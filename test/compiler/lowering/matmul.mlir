// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Rows of a and c are cut, b too: every worker lacks half of b, which is fetched
// whole. Nothing else moves.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

  // CHECK-LABEL: exec.program @partitioned ways [2]
  // CHECK: %[[A:.*]] = exec.buffer input "a" : tensor<4x6xf32> #smex.division<part 0>
  // CHECK: %[[B:.*]] = exec.buffer parameter "b" : tensor<6x5xf32> #smex.division<part 0>
  // CHECK: %[[ALL:.*]] = exec.buffer temporary "b" : tensor<6x5xf32> #exec.read<@matmul operand 1 of shapes [array<i64: 4, 6>, array<i64: 6, 5>] over [4, 5, 6] by <part 0>>
  // Each worker gets its own half from itself, and the other one.
  // CHECK: exec.fetch %[[B]] to %[[ALL]]{{$}}
  // CHECK: %[[C:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> #smex.division<part 0>
  // CHECK: exec.compute @matmul(%[[A]], %[[ALL]]) to %[[C]] extents [4, 5, 6] indices #smex.division<part 0>
  // CHECK-NOT: exec.reduce
  // CHECK: exec.output "c" %[[C]]
  func.func @main(%a: tensor<4x6xf32> {smex.name = "a", smex.cut = #smex.division<part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["c"]} {
    %b = smex.parameter "b" {cut = #smex.division<part 0>} : tensor<6x5xf32>
    %c = smex.apply @matmul(%a, %b) extents [4, 5, 6] "c" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    return %c : tensor<4x5xf32>
  }
}
