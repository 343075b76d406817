// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// What a composed operator is called, of which node it is, and whose gradient
// its result is, it has from the reader. Decisions on either are gone, since
// they were on other operators.

tdl.lambda @exp = "(x0: f32[1]) -> f32: lambda i0: exp(x0[i0])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @{{.*}}(%arg0) extents [4] "y" {gradient_of = "w", node = "second"} :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {smex.outputs = ["y"]} {
  %0 = smex.apply @exp(%x) extents [4] "e" {node = "first", cut = #smex.division<part 0>, split = #smex.division<part 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %y = smex.apply @exp(%0) extents [4] "y" {node = "second", gradient_of = "w", cut = #smex.division<part 0>, split = #smex.division<part 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
