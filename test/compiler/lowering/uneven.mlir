// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// By weights and at bounds: what the workers have is said by the division; the
// halo is what the lambda reads at it.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @window = "(x0: f32[1]) -> f32: lambda i0: Sum(lambda r0: (x0[i0 + r0 - 1] else 0))"

  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<9xf32> #smex.division<part 0 by weights [1, 2]>
  // CHECK: %[[H:.*]] = exec.buffer temporary "x" : tensor<9xf32> #exec.read<@window operand 0 of shapes [array<i64: 9>] over [9, 3] by <part 0 at bounds {{\[\[}}4]]>>
  // CHECK: exec.fetch %[[X]] to %[[H]]{{$}}
  // CHECK: %[[Y:.*]] = exec.buffer temporary "y" : tensor<9xf32> #smex.division<part 0 at bounds {{\[\[}}4]]>
  // CHECK: exec.compute @window(%[[H]]) to %[[Y]] extents [9, 3] indices #smex.division<part 0 at bounds {{\[\[}}4]]>
  func.func @main(%x: tensor<9xf32> {smex.name = "x", smex.cut = #smex.division<part 0 by weights [1, 2]>})
      -> tensor<9xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @window(%x) extents [9, 3] "y"
        {split = #smex.division<part 0 at bounds [[4]]>, cut = #smex.division<part 0 at bounds [[4]]>}
        : (tensor<9xf32>) -> tensor<9xf32>
    return %y : tensor<9xf32>
  }
}
