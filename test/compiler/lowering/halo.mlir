// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// A window of three: each worker also needs its neighbour's border (halo
// exchange). Seven rows over two workers are cut unevenly, 3 and 4.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @window = "(x0: f32[1]) -> f32: lambda i0: Sum(lambda r0: x0[i0 + r0 - 1] else 0.0)"

  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<7xf32> #smex.division<part 0>
  // CHECK: %[[H:.*]] = exec.buffer temporary "x" : tensor<7xf32> #exec.read<@window operand 0 of shapes [array<i64: 7>] over [7, 3] by <part 0>>
  // CHECK: exec.fetch %[[X]] to %[[H]]{{$}}
  func.func @main(%x: tensor<7xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<7xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @window(%x) extents [7, 3] "y" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<7xf32>) -> tensor<7xf32>
    return %y : tensor<7xf32>
  }
}
