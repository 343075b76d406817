// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Readers of a tensor share a fetch: one that fetches what another one needs,
// too, serves both. The wide window reads two elements behind its own, the
// narrow one only one of these.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @narrow = "(x0: f32[1]) -> f32: lambda i0: x0[i0] + x0[i0 + 1]"
  tdl.lambda @wide = "(x0: f32[1]) -> f32: lambda i0: x0[i0] + x0[i0 + 2]"

  // The fetch comes right before its first reader.
  // CHECK: %[[X:.*]] = exec.buffer input "x"
  // CHECK: %[[F:.*]] = exec.buffer temporary "x" : tensor<8xf32> #exec.read<@wide operand 0 {{.*}} by <part 0>>
  // CHECK-NEXT: exec.fetch %[[X]] to %[[F]]
  // CHECK: exec.compute @narrow(%[[F]])
  // CHECK-NOT: exec.fetch
  // CHECK: exec.compute @wide(%[[F]])
  func.func @main(%x: tensor<8xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> (tensor<6xf32>, tensor<6xf32>) attributes {smex.outputs = ["n", "w"]} {
    %n = smex.apply @narrow(%x) extents [6] "n" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<8xf32>) -> tensor<6xf32>
    %w = smex.apply @wide(%x) extents [6] "w" {split = #smex.division<part 0>, cut = #smex.division<part 0>}
        : (tensor<8xf32>) -> tensor<6xf32>
    return %n, %w : tensor<6xf32>, tensor<6xf32>
  }
}
