// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=256 choices=recompute}))' | FileCheck %s

// Buffers of 64 bytes each on a worker, but for c, which has 128.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[15 - i]"
tdl.lambda @twice = "(x: f32[1]) -> f32: lambda i: x[i % 16]"
tdl.lambda @fold = "(x: f32[1]) -> f32: lambda i: x[i] + x[31 - i]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// For b, a is computed again, too, which nothing else reads any more.
// CHECK-LABEL: exec.program @chain
exec.program @chain ways [1] {
  // CHECK: %[[X:.*]] = exec.buffer input "x"
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  %a = exec.buffer temporary "a" : tensor<16xf32> #smex.division<whole>
  %b = exec.buffer temporary "b" : tensor<16xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<16xf32> #smex.division<whole>
  %e = exec.buffer temporary "e" : tensor<16xf32> #smex.division<whole>
  %f = exec.buffer temporary "f" : tensor<16xf32> #smex.division<whole>
  exec.compute @flip(%x) to %a extents [16] indices #smex.division<whole>
  exec.compute @flip(%a) to %b extents [16] indices #smex.division<whole>
  exec.compute @twice(%b) to %c extents [32] indices #smex.division<whole>
  // CHECK: exec.compute @fold(%{{.*}}) to %[[D:.*]] extents
  exec.compute @fold(%c) to %d extents [16] indices #smex.division<whole>
  // CHECK-NEXT: %[[A:.*]] = exec.buffer temporary "a"
  // CHECK-NEXT: exec.compute @flip(%[[X]]) to %[[A]]
  // CHECK-NEXT: %[[B:.*]] = exec.buffer temporary "b"
  // CHECK-NEXT: exec.compute @flip(%[[A]]) to %[[B]]
  // CHECK-NEXT: exec.compute @add(%[[D]], %[[B]])
  exec.compute @add(%d, %b) to %e extents [16] indices #smex.division<whole>
  // CHECK-NEXT: exec.compute @add(%{{.*}}, %[[X]])
  exec.compute @add(%e, %x) to %f extents [16] indices #smex.division<whole>
  exec.output "f" %f
}

// What two instructions fill is computed once, and so is what comes from other
// workers: b and its copy wait for the sum, whatever that takes.
// CHECK-LABEL: exec.program @once
// CHECK-NOT: recomputing
exec.program @once ways [2] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<part 0>
  %w = exec.buffer temporary "x" : tensor<16xf32> #smex.division<whole>
  %c = exec.buffer temporary "c" : tensor<32xf32> #smex.division<whole>
  %d = exec.buffer temporary "d" : tensor<16xf32> #smex.division<whole>
  %e = exec.buffer temporary "e" : tensor<16xf32> #smex.division<whole>
  exec.fetch %x to %w
  exec.compute @twice(%w) to %c extents [32] indices #smex.division<whole>
  exec.compute @fold(%c) to %d extents [16] indices #smex.division<whole>
  exec.compute @add(%d, %w) to %e extents [16] indices #smex.division<whole>
  exec.output "e" %e
}
