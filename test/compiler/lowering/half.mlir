// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// A sum of f16 is cut: partial results are f32, computed by a lambda that does
// not round, and rounded once, where they are added up. The largest of f16
// values is one of them, and stays f16.

module attributes {smex.ways = array<i64: 2>} {
  // CHECK: tdl.lambda @partial_0 = "(x0: f16[2], x1: f16[2]) -> f32: lambda i0, i1: Sum(lambda r0: f32(x0[i0, r0]) * f32(x1[r0, i1]))"
  tdl.lambda @matmul = "(x0: f16[2], x1: f16[2]) -> f16: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
  tdl.lambda @largest = "(x0: f16[2]) -> f16: lambda i0: Max(lambda r0: x0[i0, r0])"

  // CHECK-LABEL: exec.program @partitioned ways [2]
  // CHECK: %[[P:.*]] = exec.buffer temporary "c" : tensor<4x5xf32> partial
  // CHECK: exec.compute @partial_0({{.*}}) to %[[P]]
  // CHECK: %[[C:.*]] = exec.buffer temporary "c" : tensor<4x5xf16> #smex.division<part 0>
  // CHECK: exec.reduce Sum %[[P]] to %[[C]]
  // CHECK: %[[M:.*]] = exec.buffer temporary "m" : tensor<4xf16> partial
  // CHECK: exec.compute @largest({{.*}}) to %[[M]]
  // CHECK: exec.reduce Max %[[M]]
  func.func @main(%a: tensor<4x6xf16> {smex.name = "a", smex.cut = #smex.division<part 1>},
                  %b: tensor<6x5xf16> {smex.name = "b", smex.cut = #smex.division<part 0>})
      -> (tensor<4x5xf16>, tensor<4xf16>) attributes {smex.outputs = ["c", "m"]} {
    %c = smex.apply @matmul(%a, %b) extents [4, 5, 6] "c" {split = #smex.division<part 2>, cut = #smex.division<part 0>}
        : (tensor<4x6xf16>, tensor<6x5xf16>) -> tensor<4x5xf16>
    %m = smex.apply @largest(%a) extents [4, 6] "m" {split = #smex.division<part 1>, cut = #smex.division<part 0>}
        : (tensor<4x6xf16>) -> tensor<4xf16>
    return %c, %m : tensor<4x5xf16>, tensor<4xf16>
  }
}
