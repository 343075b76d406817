// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-insert-waits))' | FileCheck %s

// A parameter's next value takes its place, after the other worker has fetched
// what was there; where the parameter is read later, it has a place of its own.

tdl.lambda @step = "(w: f32[1], g: f32[1]) -> f32: lambda i: w[i] - g[i]"
tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// CHECK-LABEL: exec.program @in_place
exec.program @in_place ways [2] {
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[W:[0-9]+]], [[W]]>}
  %w = exec.buffer parameter "w" : tensor<32xf32> #smex.division<part 0>
  %all = exec.buffer temporary "w" : tensor<32xf32> #smex.division<whole>
  exec.fetch %w to %all
  %g = exec.buffer temporary "g" : tensor<32xf32> #smex.division<part 0>
  exec.compute @neg(%all) to %g extents [32] indices #smex.division<part 0>
  // CHECK: exec.buffer temporary "next" {{.*}} {offsets = array<i64: [[W]], [[W]]>}
  %next = exec.buffer temporary "next" : tensor<32xf32> #smex.division<part 0>
  // CHECK: exec.compute @step({{.*}} {waits = #exec.waits<0 over [0]>}
  exec.compute @step(%w, %g) to %next extents [32] indices #smex.division<part 0>
  exec.update %w by %next
}

// CHECK-LABEL: exec.program @read_later
exec.program @read_later ways [1] {
  // CHECK: exec.buffer parameter "w" {{.*}} {offsets = array<i64: [[W:[0-9]+]]>}
  %w = exec.buffer parameter "w" : tensor<32xf32> #smex.division<whole>
  %g = exec.buffer input "g" : tensor<32xf32> #smex.division<whole>
  // CHECK-NOT: exec.buffer temporary "next" {{.*}} {offsets = array<i64: [[W]]>}
  // CHECK: exec.buffer temporary "next"
  %next = exec.buffer temporary "next" : tensor<32xf32> #smex.division<whole>
  exec.compute @step(%w, %g) to %next extents [32] indices #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<32xf32> #smex.division<whole>
  exec.compute @neg(%w) to %y extents [32] indices #smex.division<whole>
  exec.output "y" %y
  exec.update %w by %next
}
