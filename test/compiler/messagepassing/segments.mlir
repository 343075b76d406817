// RUN: smex-opt %s --smex-segment-reductions --split-input-file | FileCheck %s

// Edges in order of their destinations: the sum over the edges that come in to
// v goes from offsets[v] to offsets[v + 1]. The number of such edges is known.

tdl.lambda @sum = "(x0: f32[2], x1: i64[1], x2: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[r0], i1] where x2[r0] == i0)"
tdl.lambda @degree = "(x0: i64[1]) -> f32: lambda i0: Sum(lambda r0: f32(1) where x0[r0] == i0)"

// CHECK-DAG: tdl.lambda @[[$SUM:segment_.]] = "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
// CHECK-DAG: tdl.lambda @[[$DEGREE:segment_.]] = "(x0: i32[1]) -> f32: lambda i0: f32(i64(x0[i0 + 1]) - i64(x0[i0]))"
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[SRC:.*]] = smex.parameter "src.by.dst" {constant, recipe = #smex.recipe<gathered of "src" by "dst">} : tensor<9xi32>
// CHECK-DAG: %[[OFFSETS:.*]] = smex.parameter "dst.offsets" {constant, recipe = #smex.recipe<offsets of "dst">} : tensor<5xi32>
// CHECK: smex.apply @[[$SUM]](%[[SRC]], %arg0, %[[OFFSETS]]) extents [4, 3, 9] "s"
// CHECK: smex.apply @[[$DEGREE]](%[[OFFSETS]]) extents [4] "n"
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"})
    -> (tensor<4x3xf32>, tensor<4xf32>) attributes {smex.outputs = ["s", "n"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<9xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi64>
  %s = smex.apply @sum(%x, %src, %dst) extents [4, 3, 9] "s" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4x3xf32>
  %n = smex.apply @degree(%dst) extents [4, 9] "n" : (tensor<9xi64>) -> tensor<4xf32>
  return %s, %n : tensor<4x3xf32>, tensor<4xf32>
}

// -----

// Not in order: terms are read in the key's order. What is no list known
// beforehand is read through it; the key itself is the result's number.

tdl.lambda @sum = "(x0: f32[2], x1: i64[1], x2: i64[1], x3: f32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[r0], i1] * x3[r0] + f32(x2[r0]) where x2[r0] == i0)"

// CHECK: "(x0: i32[1], x1: f32[2], x2: i32[1], x3: f32[1], x4: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] * x3[i64(x2[r0])] + f32(i0) where i64(x4[i0]) <= r0 and r0 < i64(x4[i0 + 1]))"
// CHECK-LABEL: func.func @main
// CHECK: smex.parameter "src.order" {constant, recipe = #smex.recipe<order of "src">}
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"}, %w: tensor<9xf32> {smex.name = "w"})
    -> tensor<4x3xf32> attributes {smex.outputs = ["s"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<9xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi64>
  %s = smex.apply @sum(%x, %dst, %src, %w) extents [4, 3, 9] "s" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xf32>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// -----

// As gradients have it: a difference, and that the other end is a node, which
// all are.

tdl.lambda @sum = "(x0: i64[1], x1: f32[2], x2: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[x0[r0], i1] where x2[r0] - i0 == 0 and (x0[r0] < 4 and x0[r0] >= 0))"

// CHECK: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
func.func @main(%g: tensor<4x3xf32> {smex.name = "g"}) -> tensor<4x3xf32> attributes {smex.outputs = ["s"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<9xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi64>
  %s = smex.apply @sum(%dst, %g, %src) extents [4, 3, 9] "s" : (tensor<9xi64>, tensor<4x3xf32>, tensor<9xi64>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// -----

// The same key for 4 and for 6 results: offsets of each.

tdl.lambda @max = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK-DAG: smex.parameter "dst.offsets" {{.*}} : tensor<5xi32>
// CHECK-DAG: smex.parameter "dst.offsets.2" {{.*}} : tensor<7xi32>
func.func @main(%m: tensor<9xf32> {smex.name = "m"})
    -> (tensor<4xf32>, tensor<6xf32>) attributes {smex.outputs = ["a", "b"]} {
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi64>
  %a = smex.apply @max(%m, %dst) extents [4, 9] "a" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  %b = smex.apply @max(%m, %dst) extents [6, 9] "b" : (tensor<9xf32>, tensor<9xi64>) -> tensor<6xf32>
  return %a, %b : tensor<4xf32>, tensor<6xf32>
}

// -----

// A key that is computed, or a weight, stays a condition.

tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

tdl.lambda @twice = "(x0: i64[1]) -> i64: lambda i0: x0[i0] * 2"

// CHECK: smex.parameter "key" : tensor<9xi64>
// CHECK-NEXT: smex.apply @twice
// CHECK-NEXT: smex.apply @sum
// CHECK-NEXT: smex.apply @sum
func.func @main(%m: tensor<9xf32> {smex.name = "m"}, %given: tensor<9xi64> {smex.name = "k"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["a", "b"]} {
  %key = smex.parameter "key" : tensor<9xi64>
  %k = smex.apply @twice(%given) extents [9] "k2" : (tensor<9xi64>) -> tensor<9xi64>
  %a = smex.apply @sum(%m, %key) extents [4, 9] "a" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  %b = smex.apply @sum(%m, %k) extents [4, 9] "b" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The gradient where only some nodes send: what an edge leads to is read where
// it counts, and the sum is over these edges. A choice that is decided then is
// none any more.

tdl.lambda @sum = "(x0: i64[1], x1: i64[1], x2: f32[2], x3: bool[1]) -> f32: lambda i0, i1: Sum(lambda r0: x2[x1[r0] if (x3[x0[r0]] else false) else -1, i1] if (x3[x0[r0]] else false) and x1[r0] >= 0 else 0 where x0[r0] == i0)"

// CHECK: lambda i0, i1: Sum(lambda r0: x{{.}}[i64(x[[$DST:.]][r0]), i1] where i64(x[[$AT:.]][i0]) <= r0 and r0 < i64(x[[$AT]][i0 + 1]) and (x{{.}}[i0] else false))"
func.func @main(%g: tensor<4x3xf32> {smex.name = "g"}, %set: tensor<4xi1> {smex.name = "set"}) -> tensor<4x3xf32> attributes {smex.outputs = ["s"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<9xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi64>
  %s = smex.apply @sum(%src, %dst, %g, %set) extents [4, 3, 9] "s" : (tensor<9xi64>, tensor<9xi64>, tensor<4x3xf32>, tensor<4xi1>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}
