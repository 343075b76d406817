// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128 choices=moves}))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192 choices=moves}))' | FileCheck %s --check-prefix=ROOM
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=64 choices=moves},exec-plan-memory))' | FileCheck %s --check-prefix=LEAST
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=128 choices=moves},exec-overlap-transfers,exec-plan-memory,exec-insert-waits))' | FileCheck %s --check-prefix=PLACED

// Buffers of 64 bytes each on a worker.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[15 - i]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// Where two buffers fit, a waits on the host while c and d are computed; where
// three do, it stays. Less than an instruction takes alone is not asked for.
// CHECK-LABEL: exec.program @later
// CHECK-SAME: host_lower_bound = 128 : i64
// ROOM-LABEL: exec.program @later
// ROOM-NOT: host
// LEAST-LABEL: exec.program @later
// LEAST-SAME: arena = array<i64: 128>
// PLACED-LABEL: exec.program @later
// PLACED-SAME: arena = array<i64: 128>
// PLACED-SAME: host_arena = array<i64: 64>
exec.program @later ways [1] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  // CHECK: %[[A:.*]] = exec.buffer temporary "a"
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<16xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<16xf32> #smex.division<whole>
  %e = exec.buffer temporary "e" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.compute @flip({{.*}}) to %[[A]]
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole>
  // Behind its last use before it is away, with that one's node.
  // CHECK: exec.compute @flip(%[[A]])
  // CHECK-NEXT: %[[H:.*]] = exec.buffer temporary "a" : tensor<16xf32> on host
  // CHECK-NEXT: exec.to_host %[[A]] to %[[H]] {node = "second"}
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole> {node = "second"}
  // CHECK-NEXT: exec.compute
  exec.compute @flip(%b) to %c extents [16] indices #smex.division<whole>
  // CHECK-NEXT: exec.compute
  exec.compute @flip(%c) to %d extents [16] indices #smex.division<whole>
  // CHECK-NEXT: %[[BACK:.*]] = exec.buffer temporary "a"
  // CHECK-NEXT: exec.from_host %[[H]] to %[[BACK]] {node = "sum"}
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[BACK]])
  exec.compute @add(%d, %a) to %e extents [16] indices #smex.division<whole> {node = "sum"}
  exec.output "e" %e
}

// An input that does not stay until it is read last starts on the host, from
// where it comes as often as it is read.
// CHECK-LABEL: exec.program @twice
// ROOM-LABEL: exec.program @twice
// LEAST-LABEL: exec.program @twice
// PLACED-LABEL: exec.program @twice
exec.program @twice ways [1] {
  // CHECK: %[[X:.*]] = exec.buffer input "x" : tensor<16xf32> on host
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<16xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<16xf32> #smex.division<whole>
  %e = exec.buffer temporary "e" : tensor<16xf32> #smex.division<whole>
  %f = exec.buffer temporary "f" : tensor<16xf32> #smex.division<whole>
  // CHECK-NOT: exec.to_host
  // CHECK: exec.from_host %[[X]] to %[[ZEROTH:.*]]{{$}}
  // CHECK-NEXT: exec.compute @flip(%[[ZEROTH]])
  // CHECK: exec.from_host %[[X]] to %[[FIRST:.*]]{{$}}
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[FIRST]])
  // CHECK: exec.from_host %[[X]] to %[[SECOND:.*]]{{$}}
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[SECOND]])
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole>
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole>
  exec.compute @add(%b, %x) to %c extents [16] indices #smex.division<whole>
  exec.compute @flip(%c) to %d extents [16] indices #smex.division<whole>
  exec.compute @flip(%d) to %e extents [16] indices #smex.division<whole>
  exec.compute @add(%e, %x) to %f extents [16] indices #smex.division<whole>
  exec.output "f" %f
}

// Where a weight and its momentum have no room beside the rest, they start on the
// host, and their next values are there in the end, in their places.
// CHECK-LABEL: exec.program @trained
// CHECK-SAME: host_lower_bound = 320 : i64
// ROOM-LABEL: exec.program @trained
// LEAST-LABEL: exec.program @trained
// LEAST-SAME: arena = array<i64: 128>
// LEAST-SAME: host_arena = array<i64: 128>
// PLACED-LABEL: exec.program @trained
exec.program @trained ways [1] {
  // CHECK: %[[W:.*]] = exec.buffer parameter "w" : tensor<16xf32> on host
  %w = exec.buffer parameter "w" : tensor<16xf32> #smex.division<whole>
  // CHECK: %[[M:.*]] = exec.buffer state "m" : tensor<16xf32> on host
  %m = exec.buffer state "m" : tensor<16xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  %n = exec.buffer temporary "m'" : tensor<16xf32> #smex.division<whole>
  %v = exec.buffer temporary "w'" : tensor<16xf32> #smex.division<whole>
  // CHECK: exec.from_host %[[W]]
  // CHECK-NEXT: exec.compute @flip
  exec.compute @flip(%w) to %a extents [16] indices #smex.division<whole>
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole>
  // CHECK: exec.from_host %[[M]]
  // CHECK-NEXT: exec.compute @add
  exec.compute @add(%b, %m) to %n extents [16] indices #smex.division<whole>
  // CHECK: exec.from_host %[[W]]
  // CHECK-NEXT: exec.compute @add
  exec.compute @add(%w, %n) to %v extents [16] indices #smex.division<whole>
  // CHECK: exec.update %[[M]] by
  exec.update %m by %n
  // CHECK: exec.update %[[W]] by
  exec.update %w by %v
}

// Each worker has half of a.
// CHECK-LABEL: exec.program @two ways [2]
// CHECK: exec.buffer temporary "a" : tensor<32xf32> on host #smex.division<part 0>
// CHECK: exec.to_host
// CHECK: exec.from_host
exec.program @two ways [2] {
  %x = exec.buffer input "x" : tensor<32xf32> #smex.division<part 0>
  %a = exec.buffer temporary "a" : tensor<32xf32> #smex.division<part 0>
  %b = exec.buffer temporary "b" : tensor<32xf32> #smex.division<part 0>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<part 0>
  %e = exec.buffer temporary "e" : tensor<32xf32> #smex.division<part 0>
  exec.compute @shift(%x) to %a extents [32] indices #smex.division<part 0>
  exec.compute @shift(%a) to %b extents [32] indices #smex.division<part 0>
  exec.compute @shift(%b) to %c extents [32] indices #smex.division<part 0>
  exec.compute @add(%c, %a) to %e extents [32] indices #smex.division<part 0>
  exec.output "e" %e
}
tdl.lambda @shift = "(x: f32[1]) -> f32: lambda i: x[i] + x[i // 16 * 16 + (15 - i % 16)]"
