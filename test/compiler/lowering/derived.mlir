// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// What an input follows from goes along to the plan; what is fetched of it is no input.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @degree = "(x0: i32[1]) -> i32: lambda i0: x0[i0 + 1] - x0[i0]"

  // CHECK: exec.buffer input "to" : tensor<4xi64>
  // CHECK-NOT: recipe
  // CHECK: exec.buffer input "to.offsets" : tensor<4xi32> #smex.division<part 0> {recipe = #smex.recipe<offsets of "to" wrap 3>}
  // CHECK: exec.buffer temporary "to.offsets" : tensor<4xi32>
  // CHECK-NOT: recipe
  func.func @main(%to: tensor<4xi64> {smex.name = "to", smex.cut = #smex.division<part 0>},
                  %offsets: tensor<4xi32> {smex.name = "to.offsets", smex.cut = #smex.division<part 0>,
                      smex.recipe = #smex.recipe<offsets of "to" wrap 3>})
      -> tensor<3xi32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @degree(%offsets) extents [3] "y" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<4xi32>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
