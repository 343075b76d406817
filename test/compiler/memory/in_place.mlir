// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// A result takes the place of an operand that is read for the last time, element
// by element.

tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"
tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"
tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[31 - i]"
tdl.lambda @with_flip = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[31 - i]"

// A sum grows in the place of its first term, which outlives the second one.
// CHECK-LABEL: exec.program @sum ways [1] attributes {arena = array<i64: 384>
exec.program @sum ways [1] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]]>}
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<whole>
  exec.compute @neg(%x) to %a extents [32] indices #smex.division<whole>
  // CHECK: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[B:[0-9]+]]>}
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<whole>
  exec.compute @flip(%x) to %b extents [32] indices #smex.division<whole>
  // CHECK: exec.buffer temporary "c" {{.*}} {offsets = array<i64: [[A]]>}
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  exec.compute @add(%a, %b) to %c extents [32] indices #smex.division<whole>
  // CHECK: exec.buffer temporary "d" {{.*}} {offsets = array<i64: [[A]]>}
  %d = exec.buffer temporary "d" : tensor<32xf32> #smex.division<whole>
  exec.compute @add(%c, %x) to %d extents [32] indices #smex.division<whole>
  exec.output "d" %d
}

// Neither what is read later, nor at other places, is written over.
// CHECK-LABEL: exec.program @not ways [1]
exec.program @not ways [1] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]]>}
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<whole>
  exec.compute @neg(%x) to %a extents [32] indices #smex.division<whole>
  // CHECK-NOT: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[A]]>}
  // CHECK: exec.buffer temporary "b"
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<whole>
  exec.compute @neg(%a) to %b extents [32] indices #smex.division<whole>
  // CHECK-NOT: exec.buffer temporary "c" {{.*}} {offsets = array<i64: [[A]]>}
  // CHECK: exec.buffer temporary "c"
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  exec.compute @with_flip(%a, %a) to %c extents [32] indices #smex.division<whole>
  exec.output "b" %b
  exec.output "c" %c
}

// The first worker's share is the same, the second's is not.
// CHECK-LABEL: exec.program @shares ways [2]
exec.program @shares ways [2] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[A:[0-9]+]], {{.*}}>}
  %a = exec.buffer temporary "a" : tensor<32xf32> #exec.boxes<[0:16], [0:32]>
  exec.fetch %x to %a
  // CHECK-NOT: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[A]], {{.*}}>}
  // CHECK: exec.buffer temporary "b"
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<part 0>
  exec.compute @neg(%a) to %b extents [32] indices #smex.division<part 0>
  exec.output "b" %b
}
