// RUN: smex-opt %s --smex-fuse-maps --split-input-file | FileCheck %s

// A tensor made of a single one that takes no more bytes, and cheap, is computed
// by each of its readers, which read that one instead.

tdl.lambda @wide = "(x0: bf16[1]) -> f32: lambda i0: f32(x0[i0])"
tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda : Sum(lambda r0: x0[r0])"

// CHECK-DAG: @[[$N:.*]] = "(x0: bf16[1]) -> f32: lambda i0: -f32(x0[i0])"
// CHECK-DAG: @[[$S:.*]] = "(x0: bf16[1]) -> f32: lambda: Sum(lambda r0: f32(x0[r0]))"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @[[$N]](%arg0)
// CHECK-NEXT: smex.apply @[[$S]](%arg0)
func.func @main(%x: tensor<64xbf16>) -> (tensor<64xf32>, tensor<f32>) attributes {smex.outputs = ["y", "z"]} {
  %w = smex.apply @wide(%x) extents [64] "w" : (tensor<64xbf16>) -> tensor<64xf32>
  %y = smex.apply @neg(%w) extents [64] "y" : (tensor<64xf32>) -> tensor<64xf32>
  %z = smex.apply @sum(%w) extents [64] "z" : (tensor<64xf32>) -> tensor<f32>
  return %y, %z : tensor<64xf32>, tensor<f32>
}

// -----

// So are masked scores.

tdl.lambda @mask = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] if i1 <= i0 else -inf"
tdl.lambda @most = "(x0: f32[2]) -> f32: lambda i0: Max(lambda r0: x0[i0, r0])"
tdl.lambda @exp = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: exp(x0[i0, i1] - x1[i0])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[M:.*]] = smex.apply @{{.*}}(%arg0)
// CHECK-NEXT: smex.apply @{{.*}}(%arg0, %[[M]])
// CHECK-NEXT: return
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {smex.outputs = ["y"]} {
  %s = smex.apply @mask(%x) extents [8, 8] "s" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = smex.apply @most(%s) extents [8, 8] "m" : (tensor<8x8xf32>) -> tensor<8xf32>
  %y = smex.apply @exp(%s, %m) extents [8, 8] "y" : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// What a library reads is stored, and then all read it.

tdl.lambda @wide = "(x0: bf16[2]) -> f32: lambda i0, i1: f32(x0[i0, i1])"
tdl.lambda @neg = "(x0: f32[2]) -> f32: lambda i0, i1: -x0[i0, i1]"
tdl.lambda @product = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = smex.apply @wide(%arg0)
// CHECK-NEXT: smex.apply @neg(%[[W]])
// CHECK-NEXT: smex.apply @product(%[[W]], %arg1)
func.func @main(%x: tensor<8x8xbf16>, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {smex.outputs = ["y", "z"]} {
  %w = smex.apply @wide(%x) extents [8, 8] "w" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %y = smex.apply @neg(%w) extents [8, 8] "y" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = smex.apply @product(%w, %b) extents [8, 8, 8] "z" : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// So is what is made of two tensors that take more bytes together, and what
// takes fewer than the tensor that it is made of.

tdl.lambda @add = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0]"
tdl.lambda @narrow = "(x0: f32[1]) -> bf16: lambda i0: bf16(x0[i0])"
tdl.lambda @exp = "(x0: bf16[1]) -> bf16: lambda i0: exp(x0[i0])"
tdl.lambda @neg = "(x0: bf16[1]) -> bf16: lambda i0: -x0[i0]"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[N:.*]] = smex.apply @{{.*}}(%arg0, %arg1)
// CHECK-NEXT: smex.apply @exp(%[[N]])
// CHECK-NEXT: smex.apply @neg(%[[N]])
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>)
    -> (tensor<64xbf16>, tensor<64xbf16>) attributes {smex.outputs = ["y", "z"]} {
  %s = smex.apply @add(%a, %b) extents [64] "s" : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %n = smex.apply @narrow(%s) extents [64] "n" : (tensor<64xf32>) -> tensor<64xbf16>
  %y = smex.apply @exp(%n) extents [64] "y" : (tensor<64xbf16>) -> tensor<64xbf16>
  %z = smex.apply @neg(%n) extents [64] "z" : (tensor<64xbf16>) -> tensor<64xbf16>
  return %y, %z : tensor<64xbf16>, tensor<64xbf16>
}
