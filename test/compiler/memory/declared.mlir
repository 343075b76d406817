// RUN: smex-opt %s --exec-plan-memory --exec-insert-waits | FileCheck %s

// The order in which buffers are declared says nothing of the order in which
// they are written: a result takes the place of its operand, and a next value
// that of its parameter, though both are declared before.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// CHECK-LABEL: exec.program @operand
exec.program @operand ways [1] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "b" {{.*}} {offsets = array<i64: [[PLACE:[0-9]+]]>}
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer temporary "a" {{.*}} {offsets = array<i64: [[PLACE]]>}
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  exec.compute @neg(%x) to %a extents [16] indices #smex.division<whole>
  exec.compute @neg(%a) to %b extents [16] indices #smex.division<whole>
  exec.output "b" %b
}

// CHECK-LABEL: exec.program @parameter
exec.program @parameter ways [1] {
  // CHECK: exec.buffer temporary "n" {{.*}} {offsets = array<i64: [[PLACE:[0-9]+]]>}
  %n = exec.buffer temporary "n" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[PLACE]]>}
  %w = exec.buffer parameter "w" : tensor<16xf32> #smex.division<whole>
  exec.compute @neg(%w) to %n extents [16] indices #smex.division<whole>
  exec.update %w by %n
}
