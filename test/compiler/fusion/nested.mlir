// RUN: smex-opt %s --smex-recompute-products --split-input-file | FileCheck %s

// An attention: nothing that has the shape of its scores is stored. Its readers
// have the products inside, rounded as they were.

tdl.lambda @scores = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[i0, i2, r0])"
tdl.lambda @most = "(x0: bf16[3]) -> f32: lambda i0, i1: Max(lambda r0: f32(x0[i0, i1, r0]) if r0 <= i1 else -inf)"
tdl.lambda @exp = "(x0: bf16[3], x1: f32[2]) -> f32: lambda i0, i1, i2: exp((f32(x0[i0, i1, i2]) if i2 <= i1 else -inf) - x1[i0, i1])"
tdl.lambda @sum = "(x0: f32[3]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, i1, r0])"
tdl.lambda @share = "(x0: f32[3], x1: f32[2]) -> bf16: lambda i0, i1, i2: bf16(x0[i0, i1, i2] / x1[i0, i1])"
tdl.lambda @values = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[i0, r0, i2])"

// CHECK-DAG: @[[$M:.*]] = "(x0: bf16[3], x1: bf16[3]) -> f32: lambda i0, i1: Max(lambda r0: f32(bf16(f32(x0[i0, i1, 0]) * f32(x1[i0, r0, 0]) + {{.*}})) if r0 <= i1 else -inf)"
// CHECK-DAG: @[[$S:.*]] = "(x0: bf16[3], x1: bf16[3], x2: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: exp((f32(bf16(f32(x0[i0, i1, 0]) * f32(x1[i0, r0, 0]) + {{.*}})) if r0 <= i1 else -inf) - x2[i0, i1]))"
// CHECK-DAG: @[[$V:.*]] = "(x0: bf16[3], x1: bf16[3], x2: f32[2], x3: f32[2], x4: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: bf16(exp((f32(bf16({{.*}})) if r0 <= i1 else -inf) - x2[i0, i1]) / x3[i0, i1]) * x4[i0, r0, i2])"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[MOST:.*]] = smex.apply @[[$M]](%arg0, %arg1) extents [2, 64, 64] "m"
// CHECK-NEXT: %[[SUM:.*]] = smex.apply @[[$S]](%arg0, %arg1, %[[MOST]]) extents [2, 64, 64] "s"
// CHECK-NEXT: %[[Y:.*]] = smex.apply @[[$V]](%arg0, %arg1, %[[MOST]], %[[SUM]], %arg2) extents [2, 64, 8, 64] "y"
// CHECK-NEXT: return %[[Y]]
func.func @main(%q: tensor<2x64x8xbf16>, %k: tensor<2x64x8xbf16>, %v: tensor<2x64x8xbf16>)
    -> (tensor<2x64x8xbf16>) attributes {smex.outputs = ["y"]} {
  %c = smex.apply @scores(%q, %k) extents [2, 64, 64, 8] "c" : (tensor<2x64x8xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x64xbf16>
  %m = smex.apply @most(%c) extents [2, 64, 64] "m" : (tensor<2x64x64xbf16>) -> tensor<2x64xf32>
  %e = smex.apply @exp(%c, %m) extents [2, 64, 64] "e" : (tensor<2x64x64xbf16>, tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %s = smex.apply @sum(%e) extents [2, 64, 64] "s" : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %p = smex.apply @share(%e, %s) extents [2, 64, 64] "p" : (tensor<2x64x64xf32>, tensor<2x64xf32>) -> tensor<2x64x64xbf16>
  %y = smex.apply @values(%p, %v) extents [2, 64, 8, 64] "y" : (tensor<2x64x64xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x8xbf16>
  return %y : tensor<2x64x8xbf16>
}

// -----

// What is an output is stored, and so is what is read by an operator that is no
// such product: a sum of all scores.

tdl.lambda @scores = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[i0, i2, r0])"
tdl.lambda @most = "(x0: bf16[3]) -> f32: lambda i0, i1: Max(lambda r0: f32(x0[i0, i1, r0]))"
tdl.lambda @all = "(x0: bf16[3]) -> f32: lambda : Sum(lambda r0, r1, r2: f32(x0[r0, r1, r2]))"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @scores(%arg0, %arg1) {{.*}} "c"
// CHECK-NEXT: smex.apply @most
// CHECK-NEXT: %[[D:.*]] = smex.apply @scores(%arg1, %arg0) {{.*}} "d"
// CHECK-NEXT: smex.apply @most(%[[D]])
// CHECK-NEXT: smex.apply @all(%[[D]])
func.func @main(%q: tensor<2x64x8xbf16>, %k: tensor<2x64x8xbf16>)
    -> (tensor<2x64x64xbf16>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<f32>) attributes {smex.outputs = ["c", "m", "n", "a"]} {
  %c = smex.apply @scores(%q, %k) extents [2, 64, 64, 8] "c" : (tensor<2x64x8xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x64xbf16>
  %m = smex.apply @most(%c) extents [2, 64, 64] "m" : (tensor<2x64x64xbf16>) -> tensor<2x64xf32>
  %d = smex.apply @scores(%k, %q) extents [2, 64, 64, 8] "d" : (tensor<2x64x8xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x64xbf16>
  %n = smex.apply @most(%d) extents [2, 64, 64] "n" : (tensor<2x64x64xbf16>) -> tensor<2x64xf32>
  %a = smex.apply @all(%d) extents [2, 64, 64] "a" : (tensor<2x64x64xbf16>) -> tensor<f32>
  return %c, %m, %n, %a : tensor<2x64x64xbf16>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<f32>
}

// -----

// Small for what it is made of, in f32, or of many terms: stored.

tdl.lambda @small = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[i1, r0])"
tdl.lambda @most = "(x0: bf16[2]) -> f32: lambda i0: Max(lambda r0: f32(x0[i0, r0]))"
tdl.lambda @wide = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[i1, r0])"
tdl.lambda @wider = "(x0: f32[2]) -> f32: lambda i0: Max(lambda r0: x0[i0, r0])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @small
// CHECK-NEXT: smex.apply @most
// CHECK-NEXT: smex.apply @wide
// CHECK-NEXT: smex.apply @wider
// CHECK-NEXT: smex.apply @small
// CHECK-NEXT: smex.apply @most
func.func @main(%q: tensor<16x8xbf16>, %x: tensor<64x8xf32>, %z: tensor<2048x136xbf16>)
    -> (tensor<16xf32>, tensor<64xf32>, tensor<2048xf32>) attributes {smex.outputs = ["a", "b", "c"]} {
  %s = smex.apply @small(%q, %q) extents [16, 16, 8] "s" : (tensor<16x8xbf16>, tensor<16x8xbf16>) -> tensor<16x16xbf16>
  %a = smex.apply @most(%s) extents [16, 16] "a" : (tensor<16x16xbf16>) -> tensor<16xf32>
  %t = smex.apply @wide(%x, %x) extents [64, 64, 8] "t" : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x64xf32>
  %b = smex.apply @wider(%t) extents [64, 64] "b" : (tensor<64x64xf32>) -> tensor<64xf32>
  %u = smex.apply @small(%z, %z) extents [2048, 2048, 136] "u" : (tensor<2048x136xbf16>, tensor<2048x136xbf16>) -> tensor<2048x2048xbf16>
  %c = smex.apply @most(%u) extents [2048, 2048] "c" : (tensor<2048x2048xbf16>) -> tensor<2048xf32>
  return %a, %b, %c : tensor<16xf32>, tensor<64xf32>, tensor<2048xf32>
}

// -----

// What is such a product stays one: a view of its operand that would make it
// another is not composed (smex-fuse-maps).

// RUN: smex-opt %s --smex-recompute-products --smex-fuse-maps --split-input-file | FileCheck %s --check-prefix=FUSED

tdl.lambda @view = "(x0: bf16[2]) -> bf16: lambda i0, i1, i2: x0[i1, i0 * 8 + i2]"
tdl.lambda @scores = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[i0, i2, r0])"
tdl.lambda @gate = "(x0: bf16[3]) -> bf16: lambda i0, i1, i2: bf16(tanh(f32(x0[i0, i1, i2])))"
tdl.lambda @values = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i0, i1, r0] * x1[i0, r0, i2])"

// FUSED-LABEL: func.func @main
// FUSED: %[[Q:.*]] = smex.apply @view(%arg0) {{.*}} "q"
// FUSED-NEXT: %[[K:.*]] = smex.apply @view(%arg1) {{.*}} "k"
// FUSED-NEXT: smex.apply @{{.*}}(%[[Q]], %[[K]], %arg2) extents [2, 64, 8, 64] "y"
// FUSED-NEXT: return
// CHECK-LABEL: func.func @main
func.func @main(%q: tensor<64x16xbf16>, %k: tensor<64x16xbf16>, %v: tensor<64x16xbf16>)
    -> (tensor<2x64x8xbf16>) attributes {smex.outputs = ["y"]} {
  %a = smex.apply @view(%q) extents [2, 64, 8] "q" : (tensor<64x16xbf16>) -> tensor<2x64x8xbf16>
  %b = smex.apply @view(%k) extents [2, 64, 8] "k" : (tensor<64x16xbf16>) -> tensor<2x64x8xbf16>
  %w = smex.apply @view(%v) extents [2, 64, 8] "v" : (tensor<64x16xbf16>) -> tensor<2x64x8xbf16>
  %c = smex.apply @scores(%a, %b) extents [2, 64, 64, 8] "c" : (tensor<2x64x8xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x64xbf16>
  %p = smex.apply @gate(%c) extents [2, 64, 64] "p" : (tensor<2x64x64xbf16>) -> tensor<2x64x64xbf16>
  %y = smex.apply @values(%p, %w) extents [2, 64, 8, 64] "y" : (tensor<2x64x64xbf16>, tensor<2x64x8xbf16>) -> tensor<2x64x8xbf16>
  return %y : tensor<2x64x8xbf16>
}
