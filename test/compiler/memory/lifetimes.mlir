// RUN: smex-opt %s --exec-plan-memory | FileCheck %s

// Buffers that do not live at the same time lie in the same bytes. A parameter
// lives through the whole program, an input until it is read for the last time,
// and an output from when it is written to the end. No result is written over its
// operand here, since @flip reads that in another order.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[15 - i]"

// At most three of the buffers of 64 bytes live at the same time: w, and what is
// read and what is written.
// CHECK: exec.program @p ways [1] attributes {arena = array<i64: 192>
exec.program @p ways [1] {
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[W:[0-9]+]]>}
  %w = exec.buffer parameter "w" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer input "x" {{.*}} {offsets = array<i64: [[X:[0-9]+]]>}
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]]>}
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole>
  // Nobody reads x any more.
  // CHECK: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[X]]>}
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole>
  // Nor a.
  // CHECK: exec.buffer temporary "c" {{.*}} {offsets = array<i64: [[A]]>}
  %c = exec.buffer temporary "c" : tensor<16xf32> #smex.division<whole>
  exec.compute @flip(%b) to %c extents [16] indices #smex.division<whole>
  exec.output "c" %c
  exec.output "w" %w
}
