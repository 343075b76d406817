// RUN: smex-opt %s --smex-fuse-maps --smex-pad-products | FileCheck %s

// What a product is padded with is not copied: readers of the scores read their
// part of the padded ones, one of them where labels say, and the map that
// computes their gradient writes the padded one. The weight alone is copied.

tdl.lambda @scores = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[i1, r0])"
tdl.lambda @most = "(x0: bf16[2]) -> f32: lambda i0: Max(lambda r0: f32(x0[i0, r0]))"
tdl.lambda @loss = "(x0: bf16[2], x1: i64[1]) -> f32: lambda : Sum(lambda r0: 0 if x1[r0] == -100 else f32((x0[r0, x1[r0]] else nan)))"
tdl.lambda @gradient = "(x0: bf16[2], x1: f32[1]) -> bf16: lambda i0, i1: bf16(exp(f32(x0[i0, i1]) - x1[i0]))"
tdl.lambda @back = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @weight = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
tdl.lambda @bias = "(x0: bf16[2]) -> bf16: lambda i0: Sum(lambda r0: x0[r0, i0])"
tdl.lambda @step = "(x0: f32[2], x1: bf16[2]) -> f32: lambda i0, i1: 0.9 * x0[i0, i1] + f32(x1[i0, i1])"
tdl.lambda @square = "(x0: f32[2], x1: bf16[2]) -> f32: lambda i0, i1: 0.9 * x0[i0, i1] + f32(x1[i0, i1]) * f32(x1[i0, i1])"

// CHECK-DAG: @[[$PAD:.*]] = "(x0: bf16[2]) -> bf16: lambda i0, i1: x0[i0, i1] if i0 < 50257 else 0"
// CHECK-DAG: @[[$LOSS:.*]] = "(x0: bf16[2], x1: i64[1]) -> f32: lambda: Sum(lambda r0: 0 if x1[r0] == -100 else f32((x0[r0, x1[r0]] else nan) if x1[r0] < 50257 else nan))"
// CHECK-DAG: @[[$GRADIENT:.*]] = "(x0: bf16[2], x1: f32[1]) -> bf16: lambda i0, i1: bf16(exp(f32(x0[i0, i1]) - x1[i0])) if i1 < 50257 else 0"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = smex.parameter "e"
// CHECK-NEXT: %[[A:.*]] = smex.parameter "a"
// CHECK-NEXT: %[[B:.*]] = smex.parameter "b"
// CHECK-NEXT: %[[EP:.*]] = smex.apply @[[$PAD]](%[[E]]) extents [50264, 768]
// CHECK-NEXT: %[[S:.*]] = smex.apply @scores(%arg0, %[[EP]]) extents [512, 50264, 768]
// CHECK-NEXT: %[[M:.*]] = smex.apply @most(%[[S]]) extents [512, 50257] {{.*}}tensor<512x50264xbf16>
// CHECK-NEXT: smex.apply @[[$LOSS]](%[[S]], %arg1) extents [512]
// CHECK-NEXT: %[[G:.*]] = smex.apply @[[$GRADIENT]](%[[S]], %[[M]]) extents [512, 50264]
// CHECK-NEXT: smex.apply @back(%[[G]], %[[EP]]) extents [512, 768, 50264]
// CHECK-NEXT: %[[W:.*]] = smex.apply @weight(%[[G]], %arg0) extents [50264, 768, 512]
// CHECK-NEXT: smex.apply @bias(%[[G]]) extents [50257, 512]
// CHECK-NEXT: smex.apply @step(%[[A]], %[[W]]) extents [50257, 768]
// CHECK-NEXT: smex.apply @square(%[[B]], %[[W]]) extents [50257, 768]
// CHECK-NEXT: return
func.func @main(%x: tensor<512x768xbf16>, %labels: tensor<512xi64>)
    -> (tensor<f32>, tensor<512x768xbf16>, tensor<50257xbf16>, tensor<50257x768xf32>, tensor<50257x768xf32>)
    attributes {smex.outputs = ["l", "d", "bias", "next_a", "next_b"]} {
  %e = smex.parameter "e" : tensor<50257x768xbf16>
  %a = smex.parameter "a" : tensor<50257x768xf32>
  %b = smex.parameter "b" : tensor<50257x768xf32>
  %s = smex.apply @scores(%x, %e) extents [512, 50257, 768] "s" : (tensor<512x768xbf16>, tensor<50257x768xbf16>) -> tensor<512x50257xbf16>
  %m = smex.apply @most(%s) extents [512, 50257] "m" : (tensor<512x50257xbf16>) -> tensor<512xf32>
  %l = smex.apply @loss(%s, %labels) extents [512] "l" : (tensor<512x50257xbf16>, tensor<512xi64>) -> tensor<f32>
  %g = smex.apply @gradient(%s, %m) extents [512, 50257] "g" : (tensor<512x50257xbf16>, tensor<512xf32>) -> tensor<512x50257xbf16>
  %d = smex.apply @back(%g, %e) extents [512, 768, 50257] "d" : (tensor<512x50257xbf16>, tensor<50257x768xbf16>) -> tensor<512x768xbf16>
  %w = smex.apply @weight(%g, %x) extents [50257, 768, 512] "w" : (tensor<512x50257xbf16>, tensor<512x768xbf16>) -> tensor<50257x768xbf16>
  %bias = smex.apply @bias(%g) extents [50257, 512] "bias" : (tensor<512x50257xbf16>) -> tensor<50257xbf16>
  %na = smex.apply @step(%a, %w) extents [50257, 768] "na" : (tensor<50257x768xf32>, tensor<50257x768xbf16>) -> tensor<50257x768xf32>
  %nb = smex.apply @square(%b, %w) extents [50257, 768] "nb" : (tensor<50257x768xf32>, tensor<50257x768xbf16>) -> tensor<50257x768xf32>
  return %l, %d, %bias, %na, %nb : tensor<f32>, tensor<512x768xbf16>, tensor<50257xbf16>, tensor<50257x768xf32>, tensor<50257x768xf32>
}
