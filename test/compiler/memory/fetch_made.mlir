// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-fetch-made))' | FileCheck %s

// What the first worker has computed is fetched when it is finished, behind one
// more computation as it says, and then its own bytes are free; the weight,
// which stays, only when it is needed.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"
tdl.lambda @add = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0]"
tdl.lambda @shift = "(x0: f32[1], x1: f32[0]) -> f32: lambda i0: x0[i0] + x1[]"

exec.program @p ways [2] {
  // An input is there at once.
  // CHECK: %[[X:.*]] = exec.buffer input "x"
  // CHECK-NEXT: %[[XC:.*]] = exec.buffer temporary "x"
  // CHECK-NEXT: exec.fetch %[[X]] to %[[XC]]
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<placed 0>
  // CHECK-NEXT: %[[W:.*]] = exec.buffer parameter "w"
  %w = exec.buffer parameter "w" : tensor<32xf32> #smex.division<placed 0>
  // CHECK-NEXT: %[[Y:.*]] = exec.buffer temporary "y"
  // CHECK-NEXT: exec.compute @neg(%[[X]]) to %[[Y]]
  %y = exec.buffer temporary "y" : tensor<32xf32> #smex.division<placed 0>
  exec.compute @neg(%x) to %y extents [32] indices #smex.division<placed 0> {smex.copied = 1 : i64}
  // CHECK-NEXT: %[[Z:.*]] = exec.buffer temporary "z"
  // CHECK-NEXT: exec.compute @sum(%[[X]]) to %[[Z]]
  // CHECK-NEXT: %[[YC:.*]] = exec.buffer temporary "y"
  // CHECK-NEXT: exec.fetch %[[Y]] to %[[YC]]
  // CHECK-NEXT: %[[ZC:.*]] = exec.buffer temporary "z"
  // CHECK-NEXT: exec.fetch %[[Z]] to %[[ZC]]
  %z = exec.buffer temporary "z" : tensor<f32> #smex.division<placed 0>
  exec.compute @sum(%x) to %z extents [32] indices #smex.division<placed 0>
  // CHECK-NEXT: exec.buffer temporary "a"
  // CHECK-NEXT: exec.compute @add(%[[YC]], %[[XC]])
  %yc = exec.buffer temporary "y" : tensor<32xf32> #smex.division<placed 1>
  exec.fetch %y to %yc
  %xc = exec.buffer temporary "x" : tensor<32xf32> #smex.division<placed 1>
  exec.fetch %x to %xc
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<placed 1>
  exec.compute @add(%yc, %xc) to %a extents [32] indices #smex.division<placed 1>
  // CHECK-NEXT: %[[WC:.*]] = exec.buffer temporary "w"
  // CHECK-NEXT: exec.fetch %[[W]] to %[[WC]]
  %wc = exec.buffer temporary "w" : tensor<32xf32> #smex.division<placed 1>
  exec.fetch %w to %wc
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<placed 1>
  exec.compute @add(%a, %wc) to %b extents [32] indices #smex.division<placed 1>
  %zc = exec.buffer temporary "z" : tensor<f32> #smex.division<placed 1>
  exec.fetch %z to %zc
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<placed 1>
  exec.compute @shift(%b, %zc) to %c extents [32] indices #smex.division<placed 1>
  exec.output "c" %c
}
