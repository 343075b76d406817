// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// A score per edge, of numbers of its two nodes: there are more edges than nodes,
// and a sum is cheap. So each reader computes the scores, and no operator stores
// them. Their exponentials are not cheap: they are left to
// --smex-recompute-messages.

tdl.lambda @score = "(x0: f32[1], x1: i64[1], x2: f32[1], x3: i64[1]) -> f32: lambda i0: x0[x1[i0]] + x2[x3[i0]]"
tdl.lambda @max = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] where x1[r0] == i0)"
tdl.lambda @exp = "(x0: f32[1], x1: f32[1], x2: i64[1]) -> f32: lambda i0: exp(x0[i0] - x1[x2[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-DAG: Max(lambda r0: x0[x1[r0]] + x2[x3[r0]] where x3[r0] == i0)
// CHECK-DAG: exp(x0[x1[i0]] + x2[x4[i0]] - x3[x4[i0]])
// CHECK-LABEL: func.func @main
// The scores, "s", are gone: "p" reads the nodes.
// CHECK-NOT: extents [20] "s"
// CHECK: %[[P:.*]] = smex.apply @{{.*}} extents [20] "p" : (tensor<4xf32>
// CHECK: smex.apply @sum(%[[P]], %{{.*}}) extents [4, 20] "z"
func.func @main(%l: tensor<4xf32> {smex.name = "l"}, %r: tensor<4xf32> {smex.name = "r"})
    -> (tensor<20xf32>, tensor<4xf32>) attributes {smex.outputs = ["p", "z"]} {
  %src = smex.parameter "src" {constant} : tensor<20xi64>
  %dst = smex.parameter "dst" {constant} : tensor<20xi64>
  %s = smex.apply @score(%l, %src, %r, %dst) extents [20] "s" : (tensor<4xf32>, tensor<20xi64>, tensor<4xf32>, tensor<20xi64>) -> tensor<20xf32>
  %m = smex.apply @max(%s, %dst) extents [4, 20] "m" : (tensor<20xf32>, tensor<20xi64>) -> tensor<4xf32>
  %p = smex.apply @exp(%s, %m, %dst) extents [20] "p" : (tensor<20xf32>, tensor<4xf32>, tensor<20xi64>) -> tensor<20xf32>
  %z = smex.apply @sum(%p, %dst) extents [4, 20] "z" : (tensor<20xf32>, tensor<20xi64>) -> tensor<4xf32>
  return %p, %z : tensor<20xf32>, tensor<4xf32>
}
