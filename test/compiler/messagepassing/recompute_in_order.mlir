// RUN: smex-opt %s --smex-recompute-messages=exchange=false | FileCheck %s

// Where sums do not change places, the inner sum is written out, so that what is
// rounded is the same as if the coefficient were stored.

tdl.lambda @scale = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * 2"
tdl.lambda @product = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @weighted = "(x0: f32[1], x1: f32[1], x2: f32[1], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: (x0[r0] - x1[i0]) * x2[x3[r0]] where x3[r0] == i0)"

// CHECK: lambda @[[$S:[^ ]*]] = {{.*}}lambda i0: Sum(lambda r0: ({{.*}}[r0], 0]{{.*}}[r0], 1]{{.*}}[r0], 2]{{.*}} - {{.*}}[i0]) * {{.*}} where {{.*}} == i0)
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor<60xf32>
// CHECK: %[[S:.*]] = smex.apply @[[$S]](%{{.*}}) extents [4, 60] "s"
// CHECK: return %[[S]]
func.func @main(%d: tensor<4xf32> {smex.name = "d"}, %w: tensor<4xf32> {smex.name = "w"}, %x: tensor<4x3xf32> {smex.name = "x"}, %g: tensor<4x3xf32> {smex.name = "g"})
    -> tensor<4xf32> attributes {smex.outputs = ["s"]} {
  %src = smex.parameter "src" {constant} : tensor<60xi64>
  %dst = smex.parameter "dst" {constant} : tensor<60xi64>
  %y = smex.apply @scale(%x) extents [4, 3] "y" : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %k = smex.apply @scale(%g) extents [4, 3] "k" : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %p = smex.apply @product(%y, %src, %k, %dst) extents [60, 3] "p" : (tensor<4x3xf32>, tensor<60xi64>, tensor<4x3xf32>, tensor<60xi64>) -> tensor<60xf32>
  %s = smex.apply @weighted(%p, %d, %w, %dst) extents [4, 60] "s" : (tensor<60xf32>, tensor<4xf32>, tensor<4xf32>, tensor<60xi64>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
