// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// An operator that is not cut would be computed by all workers as a whole. But
// whoever then owns a part of the result only computes that part.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

  // CHECK: %[[X:.*]] = exec.buffer input "x"
  // CHECK-NOT: exec.fetch
  // CHECK: exec.compute @neg(%[[X]]) to %{{.*}} extents [8] indices #smex.division<part 0>
  func.func @main(%x: tensor<8xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<8xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @neg(%x) extents [8] "y" {split = #smex.division<whole>, cut = #smex.division<part 0>}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
