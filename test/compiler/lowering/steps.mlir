// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Four workers in two steps: between the halves, rows of the product are cut;
// within a half, the sum. So each half adds up its own rows, and a division says
// it for both steps.

module attributes {smex.ways = array<i64: 2, 2>} {
  tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

  // CHECK-LABEL: exec.program @partitioned ways [2, 2]
  // CHECK-NOT: exec.fetch
  // CHECK: %[[P:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> partial #exec.result<[4, 5, 6] by <part 0, part 2>>
  // CHECK: exec.compute @matmul({{.*}}) to %[[P]] extents [4, 5, 6] indices #smex.division<part 0, part 2>
  // CHECK: %[[C:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> #smex.division<part 0, part 0>
  // CHECK: exec.reduce Sum %[[P]] to %[[C]]
  func.func @main(%a: tensor<4x6xf32> {smex.name = "a", smex.cut = #smex.division<part 0, part 1>},
                  %b: tensor<6x5xf32> {smex.name = "b", smex.cut = #smex.division<whole, part 0>})
      -> tensor<4x5xf32> attributes {smex.outputs = ["c"]} {
    %c = smex.apply @matmul(%a, %b) extents [4, 5, 6] "c"
        {split = #smex.division<part 0, part 2>, cut = #smex.division<part 0, part 0>}
        : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    return %c : tensor<4x5xf32>
  }
}
