// RUN: smex-opt %s --smex-fuse-maps=sums-apart=true | FileCheck %s
// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s --check-prefix=FUSED

// An optimizer's step reads the sum of two gradients of one weight. Each is a sum
// over the samples, so that workers may add up their terms of both: the addition
// stays. The gradient of another weight, which is negated, is one sum.

// CHECK: tdl.lambda @[[STEP:.*]] = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] - 0.5 * x1[i0, i1]"
// CHECK: %[[S:.*]] = smex.apply @add(%{{.*}}, %{{.*}}) extents [4, 5] "s"
// CHECK: smex.apply @{{.*}}(%{{.*}}, %[[S]]) extents [4, 5] "next"
// CHECK-NOT: "negated"
// FUSED-NOT: smex.apply @add
module {
  tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
  tdl.lambda @add = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i0, i1]"
  tdl.lambda @neg = "(x0: f32[2]) -> f32: lambda i0, i1: -x0[i0, i1]"
  tdl.lambda @step = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] - 0.5 * x1[i0, i1]"

  func.func @main(%x: tensor<6x4xf32> {smex.name = "x"}, %y: tensor<6x5xf32> {smex.name = "y"},
                  %w: tensor<4x5xf32> {smex.name = "w"}, %v: tensor<4x5xf32> {smex.name = "v"})
      -> (tensor<4x5xf32>, tensor<4x5xf32>) attributes {smex.outputs = ["next", "other"]} {
    %a = smex.apply @product(%x, %y) extents [4, 5, 6] "a"
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %b = smex.apply @product(%x, %y) extents [4, 5, 6] "b"
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %s = smex.apply @add(%a, %b) extents [4, 5] "s"
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %next = smex.apply @step(%w, %s) extents [4, 5] "next"
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %c = smex.apply @product(%x, %y) extents [4, 5, 6] "c"
        : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %negated = smex.apply @neg(%c) extents [4, 5] "negated" : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %other = smex.apply @step(%v, %negated) extents [4, 5] "other"
        : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    return %next, %other : tensor<4x5xf32>, tensor<4x5xf32>
  }
}
