// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192 choices=recompute}))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192 choices=recompute},exec-overlap-transfers,exec-plan-memory,exec-insert-waits))' | FileCheck %s --check-prefix=PLACED
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192 choices=moves}))' | FileCheck %s --check-prefix=MOVES
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192}))' | FileCheck %s --check-prefix=MOVES
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192 machine=%S/slow_host.json}))' | FileCheck %s

// Buffers of 64 bytes each on a worker. On an H100 a launch takes longer than
// moving so little; where the way to the host is slow, both choices recompute.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[15 - i]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// Where two buffers fit beside the input, which is read again, a is computed again before it is read,
// into a buffer of its own.
// CHECK-LABEL: exec.program @later
// CHECK-SAME: recomputing = array<i64: {{[0-9]+}}, {{[0-9]+}}>
// PLACED-LABEL: exec.program @later
// PLACED-SAME: arena = array<i64: 192>
// MOVES-LABEL: exec.program @later
// MOVES-NOT: recomputing
// MOVES: exec.from_host
exec.program @later ways [1] {
  // CHECK: %[[X:.*]] = exec.buffer input "x"
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  // CHECK: %[[A:.*]] = exec.buffer temporary "a"
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<16xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<16xf32> #smex.division<whole>
  %e = exec.buffer temporary "e" : tensor<16xf32> #smex.division<whole>
  %f = exec.buffer temporary "f" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.compute @flip(%[[X]]) to %[[A]]
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole> {node = "first"}
  // CHECK: exec.compute @flip(%[[A]])
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole>
  // CHECK-NEXT: exec.compute
  exec.compute @flip(%b) to %c extents [16] indices #smex.division<whole>
  // CHECK-NEXT: exec.compute
  exec.compute @flip(%c) to %d extents [16] indices #smex.division<whole>
  // CHECK-NEXT: %[[AGAIN:.*]] = exec.buffer temporary "a"
  // CHECK-NEXT: exec.compute @flip(%[[X]]) to %[[AGAIN]] extents [16] indices #smex.division<whole> {node = "first"}
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[AGAIN]])
  exec.compute @add(%d, %a) to %e extents [16] indices #smex.division<whole> {node = "sum"}
  exec.compute @add(%e, %x) to %f extents [16] indices #smex.division<whole>
  exec.output "f" %f
}
