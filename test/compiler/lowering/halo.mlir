// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// A window of three: each worker also needs its neighbour's border (halo
// exchange). Seven rows over two workers are cut unevenly, 3 and 4.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @window = "(x0: f32[1]) -> f32: lambda i0: Sum(lambda r0: x0[i0 + r0 - 1] else 0.0)"

  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<7xf32> boxes [0, 3, 3, 7]
  // CHECK: %[[H:.*]] = exec.buffer temporary "x" : tensor<7xf32> boxes [0, 4, 2, 7]
  // CHECK: exec.fetch %[[X]] to %[[H]] pieces [2, 0, 0, 3, 1, 3, 4, 2, 1, 3, 7, 0, 2, 3]
  func.func @main(%x: tensor<7xf32> {smex.name = "x", smex.cut = array<i64: 0>})
      -> tensor<7xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @window(%x) extents [7, 3] "y" {split = array<i64: 0>, cut = array<i64: 0>}
        : (tensor<7xf32>) -> tensor<7xf32>
    return %y : tensor<7xf32>
  }
}
