// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Placement: one group has all of it, the others have nothing, of a scalar too.
// What gpu1 reads of gpu0 is fetched, and the sum goes to gpu0.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @relu = "(x0: f32[1]) -> f32: lambda i0: max(x0[i0], 0)"
  tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"

  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<4xf32> #smex.division<placed 0>
  // CHECK: %[[FETCHED:.*]] = exec.buffer temporary "x" : tensor<4xf32> #exec.read<@relu operand 0 {{.*}} by <placed 1>>
  // CHECK: exec.fetch %[[X]] to %[[FETCHED]]{{$}}
  // CHECK: %[[R:.*]] = exec.buffer temporary "r" : tensor<4xf32> #smex.division<placed 1>
  // CHECK: exec.compute @relu(%[[FETCHED]]) to %[[R]] extents [4] indices #smex.division<placed 1>
  // CHECK: %[[S:.*]] = exec.buffer temporary "s" : tensor<f32> #smex.division<placed 1>
  // CHECK: exec.compute @sum(%[[R]]) to %[[S]] extents [4] indices #smex.division<placed 1>
  // CHECK: %[[THERE:.*]] = exec.buffer temporary "s" : tensor<f32> #smex.division<placed 0>
  // CHECK: exec.fetch %[[S]] to %[[THERE]]{{$}}
  // CHECK: exec.output "s" %[[THERE]]
  func.func @main(%x: tensor<4xf32> {smex.name = "x", smex.cut = #smex.division<placed 0>})
      -> tensor<f32> attributes {smex.outputs = ["s"]} {
    %r = smex.apply @relu(%x) extents [4] "r" {split = #smex.division<placed 1>, cut = #smex.division<placed 1>}
        : (tensor<4xf32>) -> tensor<4xf32>
    %s = smex.apply @sum(%r) extents [4] "s" {split = #smex.division<placed 1>, cut = #smex.division<placed 0>}
        : (tensor<4xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}
