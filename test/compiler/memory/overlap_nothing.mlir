// RUN: smex-opt %s --exec-overlap-transfers | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{look-ahead=0}))' | FileCheck %s --check-prefix=STAYS
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{look-ahead=-1}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// Where nothing is transferred there is nothing to hide: the list stays as it
// is. With a look-ahead of 0, no transfer moves up past anything either.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// ERROR: error: look-ahead: a number of instructions, 0 or more
// CHECK-LABEL: exec.program @computes
// CHECK: exec.compute {{.*}} {node = "first"}
// CHECK: exec.compute {{.*}} {node = "second"}
exec.program @computes ways [1] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  exec.compute @neg(%x) to %b extents [16] indices #smex.division<whole> {node = "first"}
  exec.compute @neg(%x) to %a extents [16] indices #smex.division<whole> {node = "second"}
  exec.output "a" %a
  exec.output "b" %b
}

// STAYS-LABEL: exec.program @fetches
// STAYS: exec.compute @neg
// STAYS: exec.fetch
// STAYS: exec.compute @neg
exec.program @fetches ways [2] {
  %x = exec.buffer parameter "x" : tensor<4000000xf32> #smex.division<part 0>
  %w = exec.buffer parameter "w" : tensor<4096xf32> #smex.division<part 0>
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<part 0>
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<part 0>
  %f = exec.buffer temporary "w" : tensor<4096xf32> #smex.division<whole>
  exec.fetch %w to %f
  %b = exec.buffer temporary "b" : tensor<4096xf32> #smex.division<whole>
  exec.compute @neg(%f) to %b extents [4096] indices #smex.division<whole>
  exec.output "a" %a
  exec.output "b" %b
}
