// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// A parameter's next value takes its place, after the other worker has fetched
// what was there; where the parameter is read later, it has a place of its own.

tdl.lambda @step = "(w: f32[1], g: f32[1]) -> f32: lambda i: w[i] - g[i]"
tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// CHECK-LABEL: exec.program @in_place
exec.program @in_place workers 2 {
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[W:[0-9]+]], [[W]]>}
  %w = exec.buffer parameter "w" : tensor<32xf32> boxes [0, 16, 16, 32]
  %all = exec.buffer temporary "w" : tensor<32xf32> boxes [0, 32, 0, 32]
  exec.fetch %w to %all pieces [2, 0, 0, 16, 1, 16, 32, 2, 1, 16, 32, 0, 0, 16]
  %g = exec.buffer temporary "g" : tensor<32xf32> boxes [0, 16, 16, 32]
  exec.compute @neg(%all) to %g extents [32] indices [0, 16, 16, 32]
  // CHECK: exec.buffer temporary "next" {{.*}} {offsets = array<i64: [[W]], [[W]]>}
  %next = exec.buffer temporary "next" : tensor<32xf32> boxes [0, 16, 16, 32]
  // CHECK: exec.compute @step({{.*}} {waits = array<i64: 1, 1, 0, 1, 0, 0>}
  exec.compute @step(%w, %g) to %next extents [32] indices [0, 16, 16, 32]
  exec.update %w by %next
}

// CHECK-LABEL: exec.program @read_later
exec.program @read_later workers 1 {
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[W:[0-9]+]]>}
  %w = exec.buffer parameter "w" : tensor<32xf32> boxes [0, 32]
  %g = exec.buffer input "g" : tensor<32xf32> boxes [0, 32]
  // CHECK-NOT: exec.buffer temporary "next" {{.*}} {offsets = array<i64: [[W]]>}
  // CHECK: exec.buffer temporary "next"
  %next = exec.buffer temporary "next" : tensor<32xf32> boxes [0, 32]
  exec.compute @step(%w, %g) to %next extents [32] indices [0, 32]
  %y = exec.buffer temporary "y" : tensor<32xf32> boxes [0, 32]
  exec.compute @neg(%w) to %y extents [32] indices [0, 32]
  exec.output "y" %y
  exec.update %w by %next
}
