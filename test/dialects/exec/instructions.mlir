// RUN: smex-opt %s | FileCheck %s
// RUN: smex-opt %s | smex-opt | FileCheck %s

// The text of each operation: what is printed is read again. Two workers each
// sum their rows of x; the sums of both are added up where s is owned, and one
// worker's share of w is its next value.

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[r0, i0])"

// CHECK-LABEL: exec.program @p ways [2] {
exec.program @p ways [2] {
  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<8x4xf32> #smex.division<part 0>
  %x = exec.buffer input "x" : tensor<8x4xf32> #smex.division<part 0>
  // CHECK: %[[W:.*]] = exec.buffer parameter "w" : tensor<4xf32> #smex.division<part 0>
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<part 0>
  // CHECK: exec.buffer state "m" : tensor<4xf32> #smex.division<part 0> {drawn = 5.000000e-01 : f64}
  %m = exec.buffer state "m" : tensor<4xf32> #smex.division<part 0> {drawn = 0.5 : f64}
  // CHECK: exec.buffer constant "k" : tensor<f32> #smex.division<placed 1>
  %k = exec.buffer constant "k" : tensor<f32> #smex.division<placed 1>
  // CHECK: %[[S:.*]] = exec.buffer temporary "s" : tensor<4xf32> partial #exec.result<[4, 8] by <part 1>>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #exec.result<[4, 8] by <part 1>>
  // CHECK: exec.compute @sum(%[[X]]) to %[[S]] extents [4, 8] indices #smex.division<part 1> {node = "total"}
  exec.compute @sum(%x) to %s extents [4, 8] indices #smex.division<part 1> {node = "total"}
  // CHECK: %[[T:.*]] = exec.buffer temporary "s" : tensor<4xf32> #smex.division<part 0>
  %t = exec.buffer temporary "s" : tensor<4xf32> #smex.division<part 0>
  // CHECK: exec.reduce Sum %[[S]] to %[[T]] {waits = #exec.waits<0 over [0]>}
  exec.reduce Sum %s to %t {waits = #exec.waits<0 over [0]>}
  // CHECK: %[[ALL:.*]] = exec.buffer temporary "s" : tensor<4xf32> #smex.division<whole>
  %all = exec.buffer temporary "s" : tensor<4xf32> #smex.division<whole>
  // CHECK: exec.fetch %[[T]] to %[[ALL]] {beside = 1 : i64}
  exec.fetch %t to %all {beside = 1 : i64}
  // CHECK: exec.output "s" %[[ALL]]
  exec.output "s" %all
  // CHECK: exec.update %[[W]] by %[[T]]
  exec.update %w by %t
}
