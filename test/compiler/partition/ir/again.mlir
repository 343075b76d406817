// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s

// Decisions that are there, of another number of workers, are replaced.

module attributes {smex.ways = array<i64: 3, 2>} {
  tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

  // CHECK: smex.ways = array<i64: 2>
  // CHECK: smex.cut = #smex.division<part 0>
  // CHECK: smex.apply {{.*}} {cut = #smex.division<part 0>, split = #smex.division<part 0>}
  func.func @main(%x: tensor<4096xf32> {smex.name = "x", smex.cut = #smex.division<whole, part 0>})
      -> tensor<4096xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @neg(%x) extents [4096] "y" {cut = #smex.division<part 0, whole>, split = #smex.division<whole, whole>}
        : (tensor<4096xf32>) -> tensor<4096xf32>
    return %y : tensor<4096xf32>
  }
}
