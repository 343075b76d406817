// RUN: smex-opt %s | FileCheck %s
// RUN: smex-opt %s | smex-opt | FileCheck %s

// A wait names an earlier instruction, of the worker itself, or of all workers
// that differ from it in these steps only.

// CHECK-LABEL: exec.program @p ways [2, 2]
exec.program @p ways [2, 2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0, part 0>
  %a = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole, part 0>
  %b = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole, whole>
  // CHECK: exec.fetch {{[^{]*$}}
  exec.fetch %x to %a
  // CHECK: exec.fetch {{.*}} {waits = #exec.waits<0, 0 over [1], 0 over [0, 1]>}
  exec.fetch %a to %b {waits = #exec.waits<0, 0 over [1], 0 over [1, 0]>}
}
