// RUN: smex-opt %s --smex-fuse-maps | FileCheck %s

// An opaque function asks for a whole tensor, which must be stored; and what
// reads its result reads it from there.

tdl.lambda @positive = "(x0: f32[1]) -> bool: lambda i0: x0[i0] > 0"
tdl.lambda @places = "(x0: bool[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"
tdl.lambda @next = "(x0: i64[1]) -> i64: lambda i0: x0[i0] + 1"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: smex.apply @positive
// CHECK-NEXT: smex.apply @places
// CHECK-NEXT: smex.apply @next
func.func @main(%x: tensor<4xf32>) -> tensor<4xi64> attributes {smex.outputs = ["y"]} {
  %p = smex.apply @positive(%x) extents [4] "p" : (tensor<4xf32>) -> tensor<4xi1>
  %q = smex.apply @places(%p) extents [4] "q" : (tensor<4xi1>) -> tensor<4xi64>
  %y = smex.apply @next(%q) extents [4] "y" : (tensor<4xi64>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}
