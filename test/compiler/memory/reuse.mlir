// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// y takes the bytes of x at once, and the last fetch those of the first: a worker
// must not overwrite what the other still fetches.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

// CHECK-LABEL: exec.program @p ways [2] attributes {arena = array<i64: 192, 192>
exec.program @p ways [2] {
  // CHECK: exec.buffer input "x" {{.*}} {offsets = array<i64: [[X:[0-9]+]], [[X]]>}
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  %t = exec.buffer temporary "x" : tensor<32xf32> #smex.division<whole>
  // Inputs are there from the start: nothing to wait for.
  // CHECK: exec.fetch {{[^{]*$}}
  exec.fetch %x to %t
  // CHECK: %[[Y:.*]] = exec.buffer temporary "y"
  %y = exec.buffer temporary "y" : tensor<32xf32> #smex.division<part 0>
  // x's bytes are taken again, after the other worker has fetched them; and t
  // has come, on the worker's own other queue.
  // CHECK: exec.compute @neg({{.*}}) to %[[Y]] {{.*}} {waits = #exec.waits<0 over [0]>}
  exec.compute @neg(%t) to %y extents [32] indices #smex.division<part 0>
  %u = exec.buffer temporary "y" : tensor<32xf32> #exec.boxes<[16:32], [0:16]>
  // Each reads what the other has computed: instruction 1. u takes the bytes of
  // t, which the worker itself must have read: instruction 1 again.
  // CHECK: exec.fetch %[[Y]] {{.*}} {waits = #exec.waits<1 over [0]>}
  exec.fetch %y to %u
  exec.output "u" %u
}
