// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{memory-rate=16 launch=0}))' | FileCheck %s --check-prefix=ALIKE
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{memory-rate=16 launch=0 link-groups=2,4 link-costs=1,40}))' | FileCheck %s --check-prefix=SLOW
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{link-groups=2,4 link-costs=1}))' 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{memory-rate=0}))' 2>&1 | FileCheck %s --check-prefix=RATES
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-overlap-transfers{link-groups=2,4 link-costs=1,-40}))' 2>&1 | FileCheck %s --check-prefix=RATES

// Each worker fetches what it lacks of w while it computes. While a byte
// crosses, memory moves sixteen: the first computation hides the fetch, unless
// half of what comes does so over links that are forty times slower.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"

// ALIKE: exec.fetch {{.*}} {beside = 1 : i64}
// SLOW: exec.fetch {{.*}} {beside = 2 : i64}
// LEVELS: error: a cost for each level of links
// RATES: error: rates of a machine must be positive
exec.program @fetch ways [2, 2] {
  %x = exec.buffer parameter "x" : tensor<4000000xf32> #smex.division<part 0, part 0>
  %w = exec.buffer parameter "w" : tensor<131072xf32> #smex.division<part 0, part 0>
  %f = exec.buffer temporary "w" : tensor<131072xf32> #smex.division<whole, whole>
  exec.fetch %w to %f
  %a = exec.buffer temporary "a" : tensor<4000000xf32> #smex.division<part 0, part 0>
  exec.compute @neg(%x) to %a extents [4000000] indices #smex.division<part 0, part 0>
  %c = exec.buffer temporary "c" : tensor<4000000xf32> #smex.division<part 0, part 0>
  exec.compute @neg(%a) to %c extents [4000000] indices #smex.division<part 0, part 0>
  %b = exec.buffer temporary "b" : tensor<131072xf32> #smex.division<whole, whole>
  exec.compute @neg(%f) to %b extents [131072] indices #smex.division<whole, whole>
  exec.output "b" %b
  exec.output "c" %c
}
