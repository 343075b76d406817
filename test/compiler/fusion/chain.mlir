// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// A chain of maps becomes one; the tensors between are gone.

tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"
tdl.lambda @bias = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: x0[i0, i1] + x1[i1]"

// CHECK: tdl.lambda @[[$F:.*]] = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: exp(exp(x0[i0, i1]) + x1[i1])"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[Y:.*]] = smex.apply @[[$F]](%arg0, %arg1) extents [4, 5] "y"
// CHECK-NEXT: return %[[Y]]
func.func @main(%x: tensor<4x5xf32> {smex.name = "x"}, %b: tensor<5xf32> {smex.name = "b"})
    -> tensor<4x5xf32> attributes {smex.outputs = ["y"]} {
  %0 = smex.apply @exp(%x) extents [4, 5] "e" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = smex.apply @bias(%0, %b) extents [4, 5] "s" : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = smex.apply @exp(%1) extents [4, 5] "y" : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// Two readers: the tensor stays. A matrix product stays one, too: its operand's
// exponential would be computed once per column.

tdl.lambda @exp = "(x0: f32[2]) -> f32: lambda i0, i1: exp(x0[i0, i1])"
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK: smex.apply @exp
// CHECK: smex.apply @matmul
// CHECK: smex.apply @exp
func.func @main(%x: tensor<4x4xf32> {smex.name = "x"})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {smex.outputs = ["y", "z"]} {
  %0 = smex.apply @exp(%x) extents [4, 4] "e" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = smex.apply @matmul(%0, %x) extents [4, 4, 4] "y" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = smex.apply @exp(%0) extents [4, 4] "z" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What edges read of their ends is larger than the ends' features, and cheap:
// all readers compute it, and it is stored by none. An exponential is not.

tdl.lambda @score = "(x0: f32[1], x1: i64[1], x2: f32[1], x3: i64[1]) -> f32: lambda i0: x0[x1[i0]] + x2[x3[i0]]"
tdl.lambda @max = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Max(lambda r0: x0[r0] where x1[r0] == i0)"
tdl.lambda @exp = "(x0: f32[1], x1: f32[1], x2: i64[1]) -> f32: lambda i0: exp(x0[i0] - x1[x2[i0]])"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-DAG: Max(lambda r0: x0[x1[r0]] + x2[x3[r0]] where x3[r0] == i0)
// CHECK-DAG: exp(x0[x1[i0]] + x2[x4[i0]] - x3[x4[i0]])
// CHECK-LABEL: func.func @main
// CHECK-NOT: "s"
// CHECK: "p" : (tensor<4xf32>
// CHECK: @sum(%{{.*}}) extents [4, 20]
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
