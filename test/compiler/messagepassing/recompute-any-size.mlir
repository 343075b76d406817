// RUN: smex-opt %s --smex-recompute-messages=of-any-size --split-input-file | FileCheck %s

// What is stored is the same for graphs of all sizes. With few edges, too, what
// would be large with many is computed by its readers.

tdl.lambda @scale = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2"
tdl.lambda @coefficient = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: exp(x0[x1[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-DAG: lambda @[[$SUM:.*]] = {{.*}} lambda i0: Sum(lambda r0: exp(x0[x1[r0]]) where x1[r0] == i0)
// CHECK-LABEL: func.func @main
// CHECK-NOT: "p"
// CHECK: smex.apply @[[$SUM]](%{{.*}}) extents [4, 2] "z"
func.func @main(%l: tensor<4xf32> {smex.name = "l"})
    -> tensor<4xf32> attributes {smex.outputs = ["z"]} {
  %src = smex.parameter "src" {constant} : tensor<2xi64>
  %k = smex.apply @scale(%l) extents [4] "k" : (tensor<4xf32>) -> tensor<4xf32>
  %p = smex.apply @coefficient(%k, %src) extents [2] "p" : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %z = smex.apply @sum(%p, %src) extents [4, 2] "z" : (tensor<2xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// What is made of numbers that each edge has stored is no larger than these.

tdl.lambda @scale = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2"
tdl.lambda @coefficient = "(x0: f32[1], x1: f32[1], x2: i64[1]) -> f32: lambda i0: x0[i0] * exp(x1[x2[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = smex.apply @coefficient
// CHECK: smex.apply @sum(%[[P]]
func.func @main(%l: tensor<4xf32> {smex.name = "l"}, %w: tensor<4000xf32> {smex.name = "w"})
    -> tensor<4xf32> attributes {smex.outputs = ["z"]} {
  %src = smex.parameter "src" {constant} : tensor<4000xi64>
  %k = smex.apply @scale(%w) extents [4000] "k" : (tensor<4000xf32>) -> tensor<4000xf32>
  %p = smex.apply @coefficient(%k, %l, %src) extents [4000] "p" : (tensor<4000xf32>, tensor<4xf32>, tensor<4000xi64>) -> tensor<4000xf32>
  %z = smex.apply @sum(%p, %src) extents [4, 4000] "z" : (tensor<4000xf32>, tensor<4000xi64>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// A sum over nodes costs what there are of them, so it is stored, however few
// these are. One over features is as long as the model says: it is computed.

tdl.lambda @nodes = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[r0, x3[i0]])"
tdl.lambda @features = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @max = "(x0: f32[1], x1: f32[1], x2: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] + x1[r0] where x2[r0] == i0)"

// CHECK: Max(lambda r0: x0[r0] + {{.*}} where
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = smex.apply @nodes
// CHECK-NOT: smex.apply @features
// CHECK: smex.apply @{{.*}}(%[[P]], {{.*}} extents [2, 40] "m"
func.func @main(%a: tensor<2x2xf32> {smex.name = "a"}, %x: tensor<2x3xf32> {smex.name = "x"})
    -> tensor<2xf32> attributes {smex.outputs = ["m"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %dst = smex.parameter "dst" {constant} : tensor<40xi64>
  %p = smex.apply @nodes(%a, %src, %a, %dst) extents [40, 2] "p" : (tensor<2x2xf32>, tensor<40xi64>, tensor<2x2xf32>, tensor<40xi64>) -> tensor<40xf32>
  %q = smex.apply @features(%x, %src, %x, %dst) extents [40, 3] "q" : (tensor<2x3xf32>, tensor<40xi64>, tensor<2x3xf32>, tensor<40xi64>) -> tensor<40xf32>
  %m = smex.apply @max(%p, %q, %dst) extents [2, 40] "m" : (tensor<40xf32>, tensor<40xf32>, tensor<40xi64>) -> tensor<2xf32>
  return %m : tensor<2xf32>
}

// -----

// Labels find classes, which the model has so many of: a sum over these is
// computed as any over features.

tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"
tdl.lambda @picked = "(x0: f32[2], x1: i64[1]) -> f32: lambda i0: x0[i0, x1[i0]]"
tdl.lambda @product = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK-NOT: smex.apply @product
// CHECK: extents [4, 3, 40] "s.part1"
// CHECK: extents [4, 3] "s"
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"}, %labels: tensor<4xi64> {smex.name = "labels"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["l", "s"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %dst = smex.parameter "dst" {constant} : tensor<40xi64>
  %b = smex.parameter "b" : tensor<3xf32>
  %y = smex.apply @bias(%x, %b) extents [4, 3] "y" : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %l = smex.apply @picked(%y, %labels) extents [4] "l" : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4xf32>
  %p = smex.apply @product(%y, %src, %y, %dst) extents [40, 3] "p" : (tensor<4x3xf32>, tensor<40xi64>, tensor<4x3xf32>, tensor<40xi64>) -> tensor<40xf32>
  %s = smex.apply @sum(%p, %dst) extents [4, 40] "s" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  return %l, %s : tensor<4xf32>, tensor<4xf32>
}
