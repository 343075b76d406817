// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers,exec-plan-memory,exec-insert-waits))' | FileCheck %s --check-prefix=WAITS

// What each worker lacks of w is fetched while it computes a, for b, which
// alone needs it; and b, which would have to wait for the reduction of the
// partial sums s, lets c go first.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"
tdl.lambda @sum = "(x: f32[2]) -> f32: lambda i: Sum(lambda r: x[r, i])"

// CHECK-LABEL: exec.program @fetch
// WAITS-LABEL: exec.program @fetch
exec.program @fetch ways [2] {
  %x = exec.buffer parameter "x" : tensor<4000000xf32> #smex.division<part 0>
  %w = exec.buffer parameter "w" : tensor<4096xf32> #smex.division<part 0>
  // CHECK: exec.fetch {{.*}} {beside = 1 : i64}
  // CHECK: exec.compute @neg
  // CHECK: exec.compute @neg
  // It waits for nothing, and only the last computation for it.
  // WAITS: exec.fetch {{.*}} {beside = 1 : i64}
  // WAITS: exec.compute @neg({{[^{]*$}}
  // WAITS: exec.compute @neg({{.*}} {waits = #exec.waits<0>}
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<part 0>
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<part 0>
  %f = exec.buffer temporary "w" : tensor<4096xf32> #smex.division<whole>
  exec.fetch %w to %f
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<whole>
  exec.compute @neg(%f) to %b extents [4096] indices #smex.division<whole>
  exec.output "a" %a
  exec.output "b" %b
}

// CHECK-LABEL: exec.program @reduce
exec.program @reduce ways [2] {
  %x = exec.buffer input "x" : tensor<8x4096xf32> #smex.division<part 0>
  %z = exec.buffer input "z" : tensor<4000000xf32> #smex.division<part 0>
  %s = exec.buffer temporary "s" : tensor<4096xf32> partial #smex.division<whole>
  %t = exec.buffer temporary "s" : tensor<4096xf32> #smex.division<part 0>
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<part 0>
  %c = exec.buffer temporary "c" : tensor<4000000xf32> #smex.division<part 0>
  // CHECK: exec.compute @sum
  // CHECK: exec.reduce {{.*}} {beside = 1 : i64}
  // CHECK: exec.compute @add
  // CHECK: exec.compute @neg
  exec.compute @sum(%x) to %s extents [4096, 8] indices #smex.division<part 1>
  exec.reduce Sum %s to %t
  exec.compute @neg(%t) to %b extents [4096] indices #smex.division<part 0>
  exec.compute @add(%z, %z) to %c extents [4000000] indices #smex.division<part 0>
  exec.output "b" %b
  exec.output "c" %c
}

// While the first computation runs, all memory is in use that there ever is: the
// fetch stays behind it.
// CHECK-LABEL: exec.program @full
exec.program @full ways [1] {
  %x = exec.buffer input "x" : tensor<4000000xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<4096xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<whole>
  %f = exec.buffer temporary "w" : tensor<4096xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<whole>
  // CHECK: exec.compute @neg
  // CHECK: exec.fetch
  // CHECK: exec.compute @neg
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<whole>
  exec.fetch %w to %f
  exec.compute @neg(%f) to %b extents [4096] indices #smex.division<whole>
  exec.output "a" %a
  exec.output "b" %b
}
