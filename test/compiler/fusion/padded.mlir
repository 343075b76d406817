// RUN: smex-opt %s --smex-pad-products="fuse=false" --split-input-file | FileCheck %s
// RUN: smex-opt %s --smex-pad-products="fuse=false ways=8" --split-input-file | FileCheck %s --check-prefix WAYS

// The scores of 50257 words, and the two products that read their gradient: the
// weight and the gradient are padded once, a sum over words needs no more.

tdl.lambda @scores = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[i1, r0])"
tdl.lambda @exp = "(x0: bf16[2]) -> bf16: lambda i0, i1: exp(x0[i0, i1])"
tdl.lambda @back = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @weight = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[r0, i0] * x1[r0, i1])"
tdl.lambda @sum = "(x0: bf16[2]) -> bf16: lambda i0: Sum(lambda r0: x0[r0, i0])"

// Each of eight parts of a row, too, if there are to be as many.
// WAYS: smex.apply @scores({{.*}}) extents [512, 50304, 768]

// CHECK-DAG: @[[$ROWS:.*]] = "(x0: bf16[2]) -> bf16: lambda i0, i1: x0[i0, i1] if i0 < 50257 else 0"
// CHECK-DAG: @[[$COLUMNS:.*]] = "(x0: bf16[2]) -> bf16: lambda i0, i1: x0[i0, i1] if i1 < 50257 else 0"
// CHECK-DAG: @[[$CUT:.*]] = "(x0: bf16[2]) -> bf16: lambda i0, i1: x0[i0, i1]"
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = smex.parameter "e"
// CHECK-NEXT: %[[EP:.*]] = smex.apply @[[$ROWS]](%[[E]]) extents [50264, 768] "e.padded" {node = "scores"}
// CHECK-NEXT: %[[S:.*]] = smex.apply @scores(%arg0, %[[EP]]) extents [512, 50264, 768] "s" {node = "scores"} {{.*}} -> tensor<512x50264xbf16>
// CHECK-NEXT: %[[SC:.*]] = smex.apply @[[$CUT]](%[[S]]) extents [512, 50257] "s.cut"
// CHECK-NEXT: %[[G:.*]] = smex.apply @exp(%[[SC]]) extents [512, 50257] "g"
// CHECK-NEXT: %[[GP:.*]] = smex.apply @[[$COLUMNS]](%[[G]]) extents [512, 50264] "g.padded" {gradient_of = "s", node = "loss"}
// CHECK-NEXT: %[[GC:.*]] = smex.apply @[[$CUT]](%[[GP]]) extents [512, 50257]
// CHECK-NEXT: smex.apply @back(%[[GP]], %[[EP]]) extents [512, 768, 50264] "d" {{.*}} -> tensor<512x768xbf16>
// CHECK-NEXT: %[[W:.*]] = smex.apply @weight(%[[GP]], %arg0) extents [50264, 768, 512] "w"
// CHECK-NEXT: %[[WC:.*]] = smex.apply @[[$CUT]](%[[W]]) extents [50257, 768] "w.cut"
// CHECK-NEXT: smex.apply @sum(%[[GC]])
// CHECK-NEXT: return %{{.*}}, %[[WC]], %{{.*}}
func.func @main(%x: tensor<512x768xbf16>)
    -> (tensor<512x768xbf16>, tensor<50257x768xbf16>, tensor<50257xbf16>) attributes {smex.outputs = ["d", "w", "b"]} {
  %e = smex.parameter "e" : tensor<50257x768xbf16>
  %s = smex.apply @scores(%x, %e) extents [512, 50257, 768] "s" {node = "scores"} : (tensor<512x768xbf16>, tensor<50257x768xbf16>) -> tensor<512x50257xbf16>
  %g = smex.apply @exp(%s) extents [512, 50257] "g" {gradient_of = "s", node = "loss"} : (tensor<512x50257xbf16>) -> tensor<512x50257xbf16>
  %d = smex.apply @back(%g, %e) extents [512, 768, 50257] "d" : (tensor<512x50257xbf16>, tensor<50257x768xbf16>) -> tensor<512x768xbf16>
  %w = smex.apply @weight(%g, %x) extents [50257, 768, 512] "w" : (tensor<512x50257xbf16>, tensor<512x768xbf16>) -> tensor<50257x768xbf16>
  %b = smex.apply @sum(%g) extents [50257, 512] "b" : (tensor<512x50257xbf16>) -> tensor<50257xbf16>
  return %d, %w, %b : tensor<512x768xbf16>, tensor<50257x768xbf16>, tensor<50257xbf16>
}

// -----

// f32 has nothing of it, nor have rows that are multiples of 16 bytes, though
// other dimensions are odd.

tdl.lambda @f32 = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @f16 = "(x0: f16[2], x1: f16[2]) -> f16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @f32(%arg0, %arg1) extents [1025, 1025, 1025]
// CHECK-NEXT: smex.apply @f16(%arg2, %arg3) extents [1025, 2048, 1024]
// CHECK-NEXT: return
func.func @main(%a: tensor<1025x1025xf32>, %b: tensor<1025x1025xf32>, %c: tensor<1025x1024xf16>, %d: tensor<1024x2048xf16>)
    -> (tensor<1025x1025xf32>, tensor<1025x2048xf16>) attributes {smex.outputs = ["p", "q"]} {
  %p = smex.apply @f32(%a, %b) extents [1025, 1025, 1025] "p" : (tensor<1025x1025xf32>, tensor<1025x1025xf32>) -> tensor<1025x1025xf32>
  %q = smex.apply @f16(%c, %d) extents [1025, 2048, 1024] "q" : (tensor<1025x1024xf16>, tensor<1024x2048xf16>) -> tensor<1025x2048xf16>
  return %p, %q : tensor<1025x1025xf32>, tensor<1025x2048xf16>
}

// -----

// Nor have products of few flops, of few flops for each byte, and other sums.

tdl.lambda @product = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @distance = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: abs(x0[i0, r0] - x1[r0, i1]))"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @product(%arg0, %arg1) extents [769, 769, 769]
// CHECK-NEXT: smex.apply @product(%arg2, %arg3) extents [4096, 4097, 64]
// CHECK-NEXT: smex.apply @distance(%arg4, %arg4) extents [2049, 2049, 2049]
// CHECK-NEXT: return
func.func @main(%a: tensor<769x769xbf16>, %b: tensor<769x769xbf16>, %c: tensor<4096x64xbf16>, %d: tensor<64x4097xbf16>, %e: tensor<2049x2049xbf16>)
    -> (tensor<769x769xbf16>, tensor<4096x4097xbf16>, tensor<2049x2049xbf16>) attributes {smex.outputs = ["p", "q", "r"]} {
  %p = smex.apply @product(%a, %b) extents [769, 769, 769] "p" : (tensor<769x769xbf16>, tensor<769x769xbf16>) -> tensor<769x769xbf16>
  %q = smex.apply @product(%c, %d) extents [4096, 4097, 64] "q" : (tensor<4096x64xbf16>, tensor<64x4097xbf16>) -> tensor<4096x4097xbf16>
  %r = smex.apply @distance(%e, %e) extents [2049, 2049, 2049] "r" : (tensor<2049x2049xbf16>, tensor<2049x2049xbf16>) -> tensor<2049x2049xbf16>
  return %p, %q, %r : tensor<769x769xbf16>, tensor<4096x4097xbf16>, tensor<2049x2049xbf16>
}

// -----

// Nor have rows of a batch's index, and those that padding would make much
// longer.

tdl.lambda @batch = "(x0: bf16[3], x1: bf16[3]) -> bf16: lambda i0, i1, i2: Sum(lambda r0: x0[i1, r0, i0] * x1[i2, r0, i0])"
tdl.lambda @product = "(x0: bf16[2], x1: bf16[2]) -> bf16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @batch(%arg0, %arg0) extents [65, 1024, 1024, 1024]
// CHECK-NEXT: smex.apply @product(%arg1, %arg2) extents [32768, 33, 8192]
// CHECK-NEXT: return
func.func @main(%a: tensor<1024x1024x65xbf16>, %b: tensor<32768x8192xbf16>, %c: tensor<8192x33xbf16>)
    -> (tensor<65x1024x1024xbf16>, tensor<32768x33xbf16>) attributes {smex.outputs = ["p", "q"]} {
  %p = smex.apply @batch(%a, %a) extents [65, 1024, 1024, 1024] "p" : (tensor<1024x1024x65xbf16>, tensor<1024x1024x65xbf16>) -> tensor<65x1024x1024xbf16>
  %q = smex.apply @product(%b, %c) extents [32768, 33, 8192] "q" : (tensor<32768x8192xbf16>, tensor<8192x33xbf16>) -> tensor<32768x33xbf16>
  return %p, %q : tensor<65x1024x1024xbf16>, tensor<32768x33xbf16>
}
