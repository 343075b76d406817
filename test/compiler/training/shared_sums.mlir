// RUN: smex-opt %s --smex-training-step="loss=mse" --smex-merge-equal --smex-drop-unused | FileCheck %s

// The gradients of two biases of one sum are the same: they are computed once.

tdl.lambda @add = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = smex.parameter "b"
// CHECK: %[[C:.*]] = smex.parameter "c"
// CHECK: %[[GRADIENT:.*]] = smex.apply {{.*}} "gradient of c" {gradient_of = "c"
// CHECK: smex.apply {{.*}}(%[[C]], %[[GRADIENT]]) {{.*}} "c.next"
// CHECK-NOT: gradient_of
// CHECK: smex.apply {{.*}}(%[[B]], %[[GRADIENT]]) {{.*}} "b.next"
func.func @main(%x: tensor<3x2xf32> {smex.name = "x"}) -> tensor<3x2xf32> attributes {smex.outputs = ["y"]} {
  %b = smex.parameter "b" : tensor<2xf32>
  %c = smex.parameter "c" : tensor<2xf32>
  %u = smex.apply @add(%x, %b) extents [3, 2] "u" : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %y = smex.apply @add(%u, %c) extents [3, 2] "y" : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
