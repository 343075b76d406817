// RUN: smex-opt %s --smex-training-step="loss=given:loss" | FileCheck %s

// What is detached passes no gradient on. Of a maximum, all terms that attain
// it get an equal share, or, with `first`, one of them gets all.

tdl.lambda @copy = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2.0"
tdl.lambda @max = "(x0: f32[1]) -> f32: lambda: Max(lambda r0: x0[r0])"
tdl.lambda @sum = "(x0: f32[0], x1: f32[0], x2: f32[1]) -> f32: lambda: Sum(lambda r0: x0[] + x1[] + x2[r0])"

// CHECK-DAG: tdl.lambda @[[$PLACE:[a-z0-9_]+]] = "{{.*}}Min(lambda r0: r0 where x0[r0] == x1[])"
// CHECK-DAG: tdl.lambda @[[$COUNT:[a-z0-9_]+]] = "{{.*}}Sum(lambda r0: 1 where x0[r0] == x1[])"
// CHECK-LABEL: func.func @main
// CHECK-NOT: gradient_of = "d"
// CHECK: smex.apply @[[$PLACE]]({{.*}}gradient_of = "b"
// CHECK: smex.apply @[[$COUNT]]({{.*}}gradient_of = "a"
// CHECK-NOT: gradient_of = "d"
func.func @main() -> tensor<f32> attributes {smex.outputs = ["loss"]} {
  %a = smex.parameter "a" : tensor<3xf32>
  %b = smex.parameter "b" : tensor<3xf32>
  %d = smex.parameter "d" : tensor<3xf32>
  %ma = smex.apply @max(%a) extents [3] "ma" : (tensor<3xf32>) -> tensor<f32>
  %mb = smex.apply @max(%b) extents [3] "mb" {first} : (tensor<3xf32>) -> tensor<f32>
  %cd = smex.apply @copy(%d) extents [3] "cd" {detached} : (tensor<3xf32>) -> tensor<3xf32>
  %loss = smex.apply @sum(%ma, %mb, %cd) extents [3] "loss" : (tensor<f32>, tensor<f32>, tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
