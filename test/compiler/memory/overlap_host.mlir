// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{host-cost=1000}))' | FileCheck %s --check-prefix=SLOW

// Moves to the host and back are hidden behind computing, as transfers are.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// What b needs comes back from the host while a is computed. With a slow link to
// the host it is not there before a is.
// CHECK-LABEL: exec.program @back
// SLOW-LABEL: exec.program @back
exec.program @back ways [1] {
  %x = exec.buffer parameter "x" : tensor<4000000xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<4096xf32> #smex.division<whole>
  %h = exec.buffer temporary "w" : tensor<4096xf32> on host #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<whole>
  %f = exec.buffer temporary "w" : tensor<4096xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<whole>
  // CHECK: exec.to_host {{.*}} {beside = 2 : i64}
  // CHECK: exec.from_host {{.*}} {beside = 1 : i64}
  // CHECK: exec.compute @neg
  // CHECK: exec.compute @neg
  // SLOW: exec.to_host
  // SLOW: exec.compute @neg
  // SLOW: exec.from_host
  // SLOW: exec.compute @neg
  exec.to_host %w to %h
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<whole>
  exec.from_host %h to %f
  exec.compute @neg(%f) to %b extents [4096] indices #smex.division<whole>
  exec.output "a" %a
  exec.output "b" %b
}

// While a is computed, all memory of the device is in use that there ever is:
// what comes back from the host stays behind. What the host has is no matter.
// CHECK-LABEL: exec.program @full
exec.program @full ways [1] {
  %x = exec.buffer input "x" : tensor<4000000xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<4096xf32> #smex.division<whole>
  %h = exec.buffer temporary "w" : tensor<4096xf32> on host #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<whole>
  %f = exec.buffer temporary "w" : tensor<4096xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<whole>
  // CHECK: exec.to_host
  // CHECK: exec.compute @neg
  // CHECK: exec.from_host
  // CHECK: exec.compute @neg
  exec.to_host %w to %h
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<whole>
  exec.from_host %h to %f
  exec.compute @neg(%f) to %b extents [4096] indices #smex.division<whole>
  exec.output "a" %a
  exec.output "b" %b
}
