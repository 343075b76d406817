// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// Buffers on the host have an arena of their own, and moves between the spaces
// have a queue for each direction.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"
tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[31 - i]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// While a is on the host, its bytes on the device are b's. So the device needs
// room for two buffers at a time, and the host for one.
// CHECK-LABEL: exec.program @away ways [2]
// CHECK-SAME: arena = array<i64: 128, 128>
// CHECK-SAME: host_arena = array<i64: 64, 64>
exec.program @away ways [2] {
  // CHECK: exec.buffer input "x" {{.*}} {offsets = array<i64: [[X:[0-9]+]], [[X]]>}
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]], [[A]]>}
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.buffer temporary "a" {{.*}} on host {{.*}} {offsets = array<i64: 0, 0>}
  %h = exec.buffer temporary "a" : tensor<32xf32> on host #smex.division<part 0>
  // CHECK: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[A]], [[A]]>}
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[X]], [[X]]>}
  %c = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.buffer temporary "d"
  %d = exec.buffer temporary "d" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.compute @{{[^{]*$}}
  exec.compute @neg(%x) to %a extents [32] indices #smex.division<part 0>
  // What is moved has been computed: instruction 0.
  // CHECK: exec.to_host {{.*}} {waits = #exec.waits<0>}
  exec.to_host %a to %h
  // b takes the bytes of a, which the move has read: instruction 1.
  // CHECK: exec.compute {{.*}} {waits = #exec.waits<1>}
  exec.compute @neg(%x) to %b extents [32] indices #smex.division<part 0>
  // What comes back takes the bytes of x, which instruction 2 has read. That
  // what comes back has been moved away goes without saying.
  // CHECK: exec.from_host {{.*}} {waits = #exec.waits<2>}
  exec.from_host %h to %c
  // CHECK: exec.compute {{.*}} {waits = #exec.waits<3>}
  exec.compute @add(%b, %c) to %d extents [32] indices #smex.division<part 0>
  exec.output "d" %d
}

// Bytes on the host are used again, too: g takes those of h.
// CHECK-LABEL: exec.program @again ways [1]
// CHECK-SAME: host_arena = array<i64: 128>
exec.program @again ways [1] {
  %x = exec.buffer parameter "x" : tensor<32xf32> #smex.division<whole>
  %h = exec.buffer temporary "x" : tensor<32xf32> on host #smex.division<whole>
  %b = exec.buffer temporary "x" : tensor<32xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  %g = exec.buffer temporary "c" : tensor<32xf32> on host #smex.division<whole>
  %d = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  // A parameter is there from the start: nothing to wait for.
  // CHECK: exec.to_host {{[^{]*$}}
  exec.to_host %x to %h
  // CHECK: exec.from_host {{.*}} {waits = #exec.waits<0>}
  exec.from_host %h to %b
  // CHECK: exec.compute @{{[^{]*$}}
  exec.compute @flip(%x) to %c extents [32] indices #smex.division<whole>
  // h's bytes have been moved back: instruction 1. c has been computed: 2.
  // CHECK: exec.to_host {{.*}} {waits = #exec.waits<1, 2>}
  exec.to_host %c to %g
  // CHECK: exec.from_host {{.*}} {waits = #exec.waits<3>}
  exec.from_host %g to %d
  exec.output "b" %b
  exec.output "d" %d
}

// Planned again without buffers on the host, there is no arena for them.
// CHECK-LABEL: exec.program @none ways [1]
// CHECK-NOT: host_arena
exec.program @none ways [1] attributes {arena = array<i64: 0>, host_arena = array<i64: 64>, workspace = array<i64: 0, 0>} {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<whole>
  exec.output "x" %x
}
