// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// A sum of no terms has no parts, even where its reduction is cut: each worker
// computes the sums that it owns, which are 0.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"

  // CHECK-NOT: partial
  // CHECK: %[[S:.*]] = exec.buffer temporary "s" : tensor<4xf32> #smex.division<part 0>
  // CHECK: exec.compute @sum(%{{.*}}) to %[[S]] extents [4, 0] indices #smex.division<part 0>
  // CHECK-NOT: exec.reduce
  // CHECK: exec.output "s" %[[S]]
  func.func @main(%x: tensor<4x0xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<4xf32> attributes {smex.outputs = ["s"]} {
    %s = smex.apply @sum(%x) extents [4, 0] "s" {split = #smex.division<part 1>, cut = #smex.division<part 0>}
        : (tensor<4x0xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}
