// RUN: smex-opt %s --smex-recompute-messages --split-input-file | FileCheck %s

// A coefficient per edge, made of numbers of its nodes, is computed by each of
// its readers, whatever it costs: an exponential function here.

tdl.lambda @coefficient = "(x0: f32[1], x1: i64[1], x2: f32[1], x3: i64[1]) -> f32: lambda i0: exp(x0[x1[i0]] - x2[x3[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"
tdl.lambda @mean = "(x0: f32[1], x1: f32[2], x2: i64[1], x3: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0] * x1[x2[r0], i1] where x3[r0] == i0)"

// CHECK-DAG: lambda @[[$SUM:.*]] = {{.*}} lambda i0: Sum(lambda r0: exp(x0[x1[r0]] - x2[x3[r0]]) where x3[r0] == i0)
// CHECK-DAG: lambda @[[$MEAN:.*]] = {{.*}} lambda i0, i1: Sum(lambda r0: exp(x0[x3[r0]] - x1[x4[r0]]) * x2[x3[r0], i1] where x4[r0] == i0)
// CHECK-LABEL: func.func @main
// CHECK-NOT: "p"
// CHECK: smex.apply @[[$SUM]](%{{.*}}) extents [4, 40] "z"
// CHECK: smex.apply @[[$MEAN]](%{{.*}}) extents [4, 3, 40] "o"
func.func @main(%l: tensor<4xf32> {smex.name = "l"}, %r: tensor<4xf32> {smex.name = "r"}, %x: tensor<4x3xf32> {smex.name = "x"})
    -> (tensor<4xf32>, tensor<4x3xf32>) attributes {smex.outputs = ["z", "o"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %dst = smex.parameter "dst" {constant} : tensor<40xi64>
  %p = smex.apply @coefficient(%l, %src, %r, %dst) extents [40] "p" : (tensor<4xf32>, tensor<40xi64>, tensor<4xf32>, tensor<40xi64>) -> tensor<40xf32>
  %z = smex.apply @sum(%p, %dst) extents [4, 40] "z" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  %o = smex.apply @mean(%p, %x, %src, %dst) extents [4, 3, 40] "o" : (tensor<40xf32>, tensor<4x3xf32>, tensor<40xi64>, tensor<40xi64>) -> tensor<4x3xf32>
  return %z, %o : tensor<4xf32>, tensor<4x3xf32>
}

// -----

// A coefficient that is a sum over features: the sum over edges comes first, for
// each feature. What is not multiplied by the coefficient is a sum of its own.

tdl.lambda @scale = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] * 2"
tdl.lambda @product = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @weighted = "(x0: f32[1], x1: f32[1], x2: f32[1], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: (x0[r0] - x1[i0]) * x2[x3[r0]] where x3[r0] == i0)"

// CHECK-DAG: lambda i0, i1: Sum(lambda r0: x4[x5[r0]] * (x0[x1[r0], i1] * x2[x5[r0], i1]) where x5[r0] == i0)
// CHECK-DAG: lambda i0: Sum(lambda r0: x0[i0, r0])
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor<60xf32>
// CHECK: %[[T:.*]] = smex.apply @{{.*}} extents [4, 3, 60] "s.part1"
// CHECK: %[[S:.*]] = smex.apply @[[$FEATURES:.*]](%[[T]]) extents [4, 3] "s.part2"
// CHECK: %[[R:.*]] = smex.apply @{{.*}} extents [4, 60] "s.part3"
// CHECK: smex.apply @{{.*}}(%[[S]], %[[R]]) extents [4] "s"
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

// -----

// An output is stored, and then its readers read it, too.

tdl.lambda @coefficient = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: exp(x0[x1[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = smex.apply @coefficient
// CHECK: smex.apply @sum(%[[P]]
func.func @main(%l: tensor<4xf32> {smex.name = "l"})
    -> (tensor<40xf32>, tensor<4xf32>) attributes {smex.outputs = ["p", "z"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %p = smex.apply @coefficient(%l, %src) extents [40] "p" : (tensor<4xf32>, tensor<40xi64>) -> tensor<40xf32>
  %z = smex.apply @sum(%p, %src) extents [4, 40] "z" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  return %p, %z : tensor<40xf32>, tensor<4xf32>
}

// -----

// Any other reader has the sum written out, in the order of kernels.

tdl.lambda @product = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @max = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] where x1[r0] == i0)"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK: Max(lambda r0: x0[x1[r0], 0] * x2[x3[r0], 0] + x0[x1[r0], 2] * x2[x3[r0], 2] + x0[x1[r0], 1] * x2[x3[r0], 1] where x3[r0] == i0)
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor<40xf32>
// CHECK: extents [4, 40] "m"
// CHECK: extents [4, 40] "s"
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"}, %g: tensor<4x3xf32> {smex.name = "g"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["m", "s"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %dst = smex.parameter "dst" {constant} : tensor<40xi64>
  %p = smex.apply @product(%x, %src, %g, %dst) extents [40, 3] "p" : (tensor<4x3xf32>, tensor<40xi64>, tensor<4x3xf32>, tensor<40xi64>) -> tensor<40xf32>
  %m = smex.apply @max(%p, %dst) extents [4, 40] "m" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  %s = smex.apply @sum(%p, %dst) extents [4, 40] "s" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  return %m, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// If its terms are few enough. Otherwise it is stored, and all read it.

tdl.lambda @product = "(x0: f32[2], x1: i64[1], x2: f32[2], x3: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[i0], r0] * x2[x3[i0], r0])"
tdl.lambda @max = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] where x1[r0] == i0)"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = smex.apply @product
// CHECK: smex.apply @max(%[[P]]
// CHECK: smex.apply @sum(%[[P]]
func.func @main(%x: tensor<4x129xf32> {smex.name = "x"}, %g: tensor<4x129xf32> {smex.name = "g"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["m", "s"]} {
  %src = smex.parameter "src" {constant} : tensor<40xi64>
  %dst = smex.parameter "dst" {constant} : tensor<40xi64>
  %p = smex.apply @product(%x, %src, %g, %dst) extents [40, 129] "p" : (tensor<4x129xf32>, tensor<40xi64>, tensor<4x129xf32>, tensor<40xi64>) -> tensor<40xf32>
  %m = smex.apply @max(%p, %dst) extents [4, 40] "m" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  %s = smex.apply @sum(%p, %dst) extents [4, 40] "s" : (tensor<40xf32>, tensor<40xi64>) -> tensor<4xf32>
  return %m, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// With few edges, it is no larger than what it is made of, and is stored.

tdl.lambda @scale = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2"
tdl.lambda @coefficient = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: exp(x0[x1[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = smex.apply @coefficient
// CHECK: smex.apply @sum(%[[P]]
func.func @main(%l: tensor<4xf32> {smex.name = "l"})
    -> tensor<4xf32> attributes {smex.outputs = ["z"]} {
  %src = smex.parameter "src" {constant} : tensor<7xi64>
  %k = smex.apply @scale(%l) extents [4] "k" : (tensor<4xf32>) -> tensor<4xf32>
  %p = smex.apply @coefficient(%k, %src) extents [7] "p" : (tensor<4xf32>, tensor<7xi64>) -> tensor<7xf32>
  %z = smex.apply @sum(%p, %src) extents [4, 7] "z" : (tensor<7xf32>, tensor<7xi64>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// A word's vector is found by data, too, but nobody sums it over edges.

tdl.lambda @embedding = "(x0: f32[2], x1: i64[1]) -> f32: lambda i0, i1: x0[x1[i0], i1]"
tdl.lambda @mean = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
tdl.lambda @centred = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] - x1[i0] / 3"

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = smex.apply @embedding
// CHECK: %[[M:.*]] = smex.apply @mean(%[[X]])
// CHECK: smex.apply @centred(%[[X]], %[[M]])
func.func @main(%words: tensor<60xi64> {smex.name = "words"})
    -> tensor<60x3xf32> attributes {smex.outputs = ["c"]} {
  %table = smex.parameter "table" : tensor<5x3xf32>
  %x = smex.apply @embedding(%table, %words) extents [60, 3] "x" : (tensor<5x3xf32>, tensor<60xi64>) -> tensor<60x3xf32>
  %m = smex.apply @mean(%x) extents [60, 3] "m" : (tensor<60x3xf32>) -> tensor<60xf32>
  %c = smex.apply @centred(%x, %m) extents [60, 3] "c" : (tensor<60x3xf32>, tensor<60xf32>) -> tensor<60x3xf32>
  return %c : tensor<60x3xf32>
}
