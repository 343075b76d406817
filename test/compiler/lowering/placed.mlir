// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Placement: a choice of -2 - g gives all to group g, and nothing to the others. What gpu1 reads of gpu0 is fetched; a
// scalar, which has no empty share, is handed to who did not compute it.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"

  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<4xf32> boxes [0, 4, 0, 0]
  // CHECK: %[[FETCHED:.*]] = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 0, 0, 4]
  // CHECK: exec.fetch %[[X]] to %[[FETCHED]] pieces [0, 1, 0, 0, 4]
  // CHECK: %[[R:.*]] = exec.buffer temporary "r" : tensor<4xf32> boxes [0, 0, 0, 4]
  // CHECK: exec.compute @relu(%[[FETCHED]]) to %[[R]] extents [4] indices [0, 0, 0, 4]
  // CHECK: %[[P:.*]] = exec.buffer temporary "s" : tensor<f32> partial
  // CHECK: exec.compute @sum(%[[R]]) to %[[P]] extents [4] indices [0, 0, 0, 4]
  // CHECK: exec.reduce Sum %[[P]] to %{{.*}} pieces [1, 1, 1, 1]
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = array<i64: -2>})
      -> tensor<f32> attributes {smex.outputs = ["s"]} {
    %r = smex.apply @relu(%x) extents [4] "r" {split = array<i64: -3>, cut = array<i64: -3>}
        : (tensor<4xf32>) -> tensor<4xf32>
    %s = smex.apply @sum(%r) extents [4] "s" {split = array<i64: -3>, cut = array<i64: -1>}
        : (tensor<4xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}
