// RUN: smex-opt %s --exec-plan-memory | FileCheck %s

// While a transfer is expected to last, computations do not take the bytes that
// it reads, or they would have to wait for it; but only where that takes no more
// memory. For how long is said by `beside`.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[15 - i]"
tdl.lambda @wide = "() -> f32: lambda i: f32(i)"
tdl.lambda @last = "(x: f32[1]) -> f32: lambda i: x[i + 48]"

// Nothing is said: b takes the bytes of a at once.
// CHECK-LABEL: exec.program @at_once
exec.program @at_once ways [1] {
  %x = exec.buffer parameter "x" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]]>}
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %f = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[A]]>}
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole>
  exec.fetch %a to %f
  exec.compute @flip(%x) to %b extents [16] indices #smex.division<whole>
  exec.output "a" %f
  exec.output "b" %b
}

// The fetch lasts beside the next computation. The bytes of big, which nobody
// needs any more, are free: b takes those.
// CHECK-LABEL: exec.program @beside
exec.program @beside ways [1] {
  %x = exec.buffer parameter "x" : tensor<16xf32> #smex.division<whole>
  %big = exec.buffer temporary "big" : tensor<64xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]]>}
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %f = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  // CHECK-NOT: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[A]]>}
  // CHECK: exec.buffer temporary "b"
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  exec.compute @wide() to %big extents [64] indices #smex.division<whole>
  exec.compute @last(%big) to %a extents [16] indices #smex.division<whole>
  exec.fetch %a to %f {beside = 1 : i64}
  exec.compute @flip(%x) to %b extents [16] indices #smex.division<whole>
  exec.output "a" %f
  exec.output "b" %b
}
