// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// One worker, two queues: what they need of one another, and no more.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
tdl.lambda @flip = "(x0: f32[1]) -> f32: lambda i0: x0[31 - i0]"

// CHECK-LABEL: exec.program @p ways [1]
exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<32xf32> #smex.division<whole>
  // CHECK: exec.compute @{{[^{]*$}}
  exec.compute @neg(%x) to %a extents [32] indices #smex.division<whole>
  // What is copied has been computed: instruction 0.
  // CHECK: exec.fetch {{.*}} {waits = #exec.waits<0>}
  exec.fetch %a to %b
  // c takes the bytes of x, which only this queue has read.
  // CHECK: exec.compute @{{[^{]*$}}
  exec.compute @flip(%a) to %c extents [32] indices #smex.division<whole>
  // d takes those of a, which the copy has read: instruction 1. That c has been
  // computed goes without saying.
  // CHECK: exec.compute {{.*}} {waits = #exec.waits<1>}
  exec.compute @flip(%c) to %d extents [32] indices #smex.division<whole>
  exec.output "b" %b
  exec.output "d" %d
}

// CHECK-LABEL: exec.program @in_place ways [1]
exec.program @in_place ways [1] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  exec.compute @neg(%x) to %a extents [32] indices #smex.division<whole>
  exec.fetch %a to %b
  // c is written over a, which the copy has read.
  // CHECK: exec.fetch
  // CHECK: exec.compute {{.*}} {waits = #exec.waits<1>}
  exec.compute @neg(%a) to %c extents [32] indices #smex.division<whole>
  exec.output "b" %b
  exec.output "c" %c
}
