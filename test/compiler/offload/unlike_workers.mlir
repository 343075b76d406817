// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128,256 choices=moves}))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128,256 choices=moves},exec-overlap-transfers,exec-plan-memory,exec-insert-waits))' | FileCheck %s --check-prefix=PLACED
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192,256 choices=recompute}))' | FileCheck %s --check-prefix=AGAIN
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128,128 choices=moves}))' | FileCheck %s --check-prefix=ALIKE
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128,256 choices=moves most-schedules=1}))' | FileCheck %s --check-prefix=ALIKE
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128 most-schedules=0}))' 2>&1 | FileCheck %s --check-prefix=NONE

// Each worker has a schedule of its own: who has room keeps what others move or
// compute again. Buffers of 64 bytes each on a worker.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[i] + x[i // 16 * 16 + (15 - i % 16)]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// NONE: error: at least one schedule

// On worker 1, %back is %a.
// CHECK-LABEL: exec.program @later
// CHECK-SAME: host_lower_bound = 128 : i64
// PLACED-LABEL: exec.program @later
// PLACED-SAME: host_arena = array<i64: 64, 0>
// ALIKE-LABEL: exec.program @later
// ALIKE-NOT: kept
// ALIKE: exec.to_host
exec.program @later ways [2] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  // CHECK: %[[A:.*]] = exec.buffer temporary "a"
  // PLACED: exec.buffer temporary "a" {{.*}}offsets = array<i64: {{[0-9]+}}, [[PLACE:[0-9]+]]>
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0>
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<part 0>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<part 0>
  %d = exec.buffer temporary "d" : tensor<32xf32> #smex.division<part 0>
  %e = exec.buffer temporary "e" : tensor<32xf32> #smex.division<part 0>
  %f = exec.buffer temporary "f" : tensor<32xf32> #smex.division<part 0>
  exec.compute @flip(%x) to %a extents [32] indices #smex.division<part 0>
  // CHECK: %[[H:.*]] = exec.buffer temporary "a" : tensor<32xf32> on host #smex.division<part 0> kept on [1] as %[[A]]
  // CHECK-NEXT: exec.to_host %[[A]] to %[[H]]
  exec.compute @flip(%a) to %b extents [32] indices #smex.division<part 0>
  exec.compute @flip(%b) to %c extents [32] indices #smex.division<part 0>
  exec.compute @flip(%c) to %d extents [32] indices #smex.division<part 0>
  // CHECK: %[[BACK:.*]] = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0> kept on [1] as %[[A]]
  // CHECK-NEXT: exec.from_host %[[H]] to %[[BACK]]
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[BACK]])
  // PLACED: exec.buffer temporary "a" {{.*}}kept on [1] as %{{.*}} {offsets = array<i64: {{[0-9]+}}, [[PLACE]]>
  // PLACED: exec.from_host
  exec.compute @add(%d, %a) to %e extents [32] indices #smex.division<part 0>
  exec.compute @flip(%e) to %f extents [32] indices #smex.division<part 0>
  exec.output "f" %f
}
// On worker 1, %again is %a.
// AGAIN-LABEL: exec.program @again
// AGAIN-SAME: recomputing = array<i64: {{[0-9]+}}, {{[0-9]+}}>
exec.program @again ways [2] {
  // AGAIN: %[[X:.*]] = exec.buffer input "x"
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  // AGAIN: %[[A:.*]] = exec.buffer temporary "a"
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0>
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<part 0>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<part 0>
  %d = exec.buffer temporary "d" : tensor<32xf32> #smex.division<part 0>
  %e = exec.buffer temporary "e" : tensor<32xf32> #smex.division<part 0>
  %f = exec.buffer temporary "f" : tensor<32xf32> #smex.division<part 0>
  exec.compute @flip(%x) to %a extents [32] indices #smex.division<part 0>
  exec.compute @flip(%a) to %b extents [32] indices #smex.division<part 0>
  exec.compute @flip(%b) to %c extents [32] indices #smex.division<part 0>
  exec.compute @flip(%c) to %d extents [32] indices #smex.division<part 0>
  // AGAIN: %[[AGAIN:.*]] = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0> kept on [1] as %[[A]]
  // AGAIN-NEXT: exec.compute @flip(%[[X]]) to %[[AGAIN]]
  // AGAIN-NEXT: exec.compute @add(%{{.*}}, %[[AGAIN]])
  exec.compute @add(%d, %a) to %e extents [32] indices #smex.division<part 0>
  exec.compute @add(%e, %x) to %f extents [32] indices #smex.division<part 0>
  exec.output "f" %f
}
