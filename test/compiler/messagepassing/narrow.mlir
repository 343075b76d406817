// RUN: smex-opt %s --smex-segment-reductions --split-input-file | FileCheck %s

// What edges read of their ends: constants of 32 bits, too, and the same as the
// sums read. The key is one that is in order. A list with larger numbers stays,
// as does one of which more is asked than its elements.

tdl.lambda @ends = "(x0: f32[1], x1: i64[1], x2: i64[1], x3: i64[1]) -> f32: lambda i0: x0[x1[i0]] - x0[x2[i0]] + f32(x3[i0])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1], x2: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[r0]] where x2[r0] == i0)"
tdl.lambda @source = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: x0[x1[i0]]"
tdl.lambda @checked = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: x0[x1[i0 + 1] else 0]"

// CHECK-DAG: tdl.lambda @[[$ENDS:segment_.]] = "(x0: f32[1], x1: i32[1], x2: i32[1], x3: i64[1]) -> f32: lambda i0: x0[i64(x1[i0])] - x0[i64(x2[i0])] + f32(x3[i0])"
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[SRC:.*]] = smex.parameter "src.by.dst" {{.*}} : tensor<50xi32>
// CHECK-DAG: %[[DST:.*]] = smex.parameter "dst.by.dst" {{.*}} : tensor<50xi32>
// CHECK-DAG: %[[OTHER:.*]] = smex.parameter "other"
// CHECK: smex.apply @[[$ENDS]](%arg0, %[[SRC]], %[[DST]], %[[OTHER]]) extents [50] "e"
// CHECK: smex.apply @{{.*}}(%[[SRC]], {{.*}}) extents [4, 50] "s"
// CHECK: smex.apply @{{.*}}(%arg0, %[[SRC]]) extents [50] "a"
// CHECK: extents [50] "b" : (tensor<4xf32>, tensor<50xi64>)
func.func @main(%x: tensor<4xf32> {smex.name = "x"})
    -> (tensor<50xf32>, tensor<4xf32>, tensor<50xf32>, tensor<50xf32>) attributes {smex.outputs = ["e", "s", "a", "b"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<50xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<50xi64>
  %other = smex.parameter "other" {constant, range = #smex.range<0 to 3000000000>} : tensor<50xi64>
  %e = smex.apply @ends(%x, %src, %dst, %other) extents [50] "e" : (tensor<4xf32>, tensor<50xi64>, tensor<50xi64>, tensor<50xi64>) -> tensor<50xf32>
  %s = smex.apply @sum(%x, %src, %dst) extents [4, 50] "s" : (tensor<4xf32>, tensor<50xi64>, tensor<50xi64>) -> tensor<4xf32>
  %a = smex.apply @source(%x, %src) extents [50] "a" : (tensor<4xf32>, tensor<50xi64>) -> tensor<50xf32>
  %b = smex.apply @checked(%x, %src) extents [50] "b" : (tensor<4xf32>, tensor<50xi64>) -> tensor<50xf32>
  return %e, %s, %a, %b : tensor<50xf32>, tensor<4xf32>, tensor<50xf32>, tensor<50xf32>
}

// -----

// No list of that length is in order, or it is an input, or of 32 bits: all
// stay.

tdl.lambda @source = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: x0[x1[i0]]"
tdl.lambda @of32 = "(x0: f32[1], x1: i32[1]) -> f32: lambda i0: x0[i64(x1[i0])]"

// CHECK-LABEL: func.func @main
// CHECK-NOT: recipe
// CHECK: smex.apply @source({{.*}} "a"
// CHECK: smex.apply @of32({{.*}} "b"
// CHECK: smex.apply @source({{.*}} "c"
func.func @main(%x: tensor<4xf32> {smex.name = "x"}, %ends: tensor<50xi64> {smex.name = "ends", smex.range = #smex.range<0 to 3>})
    -> (tensor<50xf32>, tensor<9xf32>, tensor<50xf32>) attributes {smex.outputs = ["a", "b", "c"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<50xi64>
  %dst = smex.parameter "dst" {constant, ascending, range = #smex.range<0 to 3>} : tensor<9xi32>
  %a = smex.apply @source(%x, %src) extents [50] "a" : (tensor<4xf32>, tensor<50xi64>) -> tensor<50xf32>
  %b = smex.apply @of32(%x, %dst) extents [9] "b" : (tensor<4xf32>, tensor<9xi32>) -> tensor<9xf32>
  %c = smex.apply @source(%x, %ends) extents [50] "c" : (tensor<4xf32>, tensor<50xi64>) -> tensor<50xf32>
  return %a, %b, %c : tensor<50xf32>, tensor<9xf32>, tensor<50xf32>
}
