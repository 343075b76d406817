// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192,128,256,320 choices=moves most-schedules=2}))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=192,128,256,320 choices=moves}))' | FileCheck %s --check-prefix=EACH

// Workers 0 and 1 lack most, and have one schedule together: they move what the
// one moves that has the least. By itself, worker 0 moves nothing, since three
// buffers of 64 bytes are all that is alive at once.

tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[i] + x[i // 16 * 16 + (15 - i % 16)]"
tdl.lambda @add = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] + y[i]"

// CHECK-LABEL: exec.program @few
// EACH-LABEL: exec.program @few
exec.program @few ways [4] {
  %x = exec.buffer input "x" : tensor<64xf32> #smex.division<part 0>
  %a = exec.buffer temporary "a" : tensor<64xf32> #smex.division<part 0>
  %b = exec.buffer temporary "b" : tensor<64xf32> #smex.division<part 0>
  %c = exec.buffer temporary "c" : tensor<64xf32> #smex.division<part 0>
  %d = exec.buffer temporary "d" : tensor<64xf32> #smex.division<part 0>
  %e = exec.buffer temporary "e" : tensor<64xf32> #smex.division<part 0>
  exec.compute @flip(%x) to %a extents [64] indices #smex.division<part 0>
  // CHECK: exec.buffer temporary "a" : tensor<64xf32> on host #smex.division<part 0> kept on [2, 3]
  // EACH: exec.buffer temporary "a" : tensor<64xf32> on host #smex.division<part 0> kept on [0, 2, 3]
  exec.compute @flip(%a) to %b extents [64] indices #smex.division<part 0>
  exec.compute @flip(%b) to %c extents [64] indices #smex.division<part 0>
  exec.compute @flip(%c) to %d extents [64] indices #smex.division<part 0>
  // CHECK: exec.from_host
  // EACH: exec.from_host
  exec.compute @add(%d, %a) to %e extents [64] indices #smex.division<part 0>
  exec.output "e" %e
}
