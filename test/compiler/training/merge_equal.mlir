// RUN: smex-opt %s --smex-merge-equal | FileCheck %s

// Behind the gradient of the loss, what repeats an earlier application of the
// same lambda becomes that one. What the model repeats itself stays, and what
// might draw numbers: an opaque function.

tdl.lambda @double = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2.0"
tdl.lambda @sum = "(x0: f32[1], x1: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0] + x1[r0])"
tdl.lambda @one = "() -> f32: lambda: 1.0"
tdl.lambda @spread = "(x0: f32[0]) -> f32: lambda i0: x0[]"
tdl.lambda @places = "(x0: f32[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"

// CHECK: %[[A:.*]] = smex.apply @double({{.*}} "a"
// CHECK: %[[B:.*]] = smex.apply @double({{.*}} "b"
// CHECK: smex.apply @one
// CHECK: %[[DA:.*]] = smex.apply @spread({{.*}} "da"
// CHECK-NOT: "db"
// The same lambda over another range.
// CHECK: smex.apply @spread({{.*}}) extents [4] "dc"
// CHECK-NOT: "c"
// CHECK: smex.apply @places({{.*}} "d"
// CHECK: smex.apply @places({{.*}} "e"
// CHECK: smex.update %{{.*}} by %[[A]]
// CHECK: smex.update %{{.*}} by %[[DA]]
func.func @main() -> (tensor<f32> {smex.loss}, tensor<4xf32>, tensor<3xf32>) attributes {smex.outputs = ["loss", "dc", "db"]} {
  %v = smex.parameter "v" : tensor<3xf32>
  %w = smex.parameter "w" : tensor<3xf32>
  %a = smex.apply @double(%w) extents [3] "a" : (tensor<3xf32>) -> tensor<3xf32>
  %b = smex.apply @double(%w) extents [3] "b" : (tensor<3xf32>) -> tensor<3xf32>
  %loss = smex.apply @sum(%a, %b) extents [3] "loss" : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %dl = smex.apply @one() extents [] "dl" {gradient_of = "loss"} : () -> tensor<f32>
  %da = smex.apply @spread(%dl) extents [3] "da" {gradient_of = "a"} : (tensor<f32>) -> tensor<3xf32>
  %db = smex.apply @spread(%dl) extents [3] "db" {gradient_of = "b"} : (tensor<f32>) -> tensor<3xf32>
  %dc = smex.apply @spread(%dl) extents [4] "dc" : (tensor<f32>) -> tensor<4xf32>
  %c = smex.apply @double(%w) extents [3] "c" : (tensor<3xf32>) -> tensor<3xf32>
  %d = smex.apply @places(%w) extents [3] "d" : (tensor<3xf32>) -> tensor<3xi64>
  %e = smex.apply @places(%w) extents [3] "e" : (tensor<3xf32>) -> tensor<3xi64>
  smex.update %v by %c : tensor<3xf32>, tensor<3xf32>
  smex.update %w by %db : tensor<3xf32>, tensor<3xf32>
  return %loss, %dc, %db : tensor<f32>, tensor<4xf32>, tensor<3xf32>
}
