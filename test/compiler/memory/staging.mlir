// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{exchanges=true}))' | FileCheck %s
// RUN: smex-opt %s --exec-plan-memory | FileCheck %s --check-prefix=NONE

// Where GPUs may exchange, each worker keeps staging at the end of its arena for
// what is packed, unpacked or combined: a thirty-second of the arena, and at
// least 16 bytes for each other worker. Without GPUs there is none.

// NONE-NOT: staging

tdl.lambda @sum = "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])"

// Columns do not lie together: 64 + 128 bytes of buffers.
// CHECK: exec.program @columns ways [2] attributes {arena = array<i64: 256, 256>, staging = array<i64: 64, 64>, workspace
exec.program @columns ways [2] {
  %x = exec.buffer input "x" : tensor<4x8xf32> #smex.division<part 1>
  %y = exec.buffer temporary "x" : tensor<4x8xf32> #smex.division<whole>
  exec.fetch %x to %y
  exec.output "y" %y
}

// 8192 + 16384 bytes; the second worker has 4096 more.
// CHECK: exec.program @larger ways [2] attributes {arena = array<i64: 25344, 29568>, staging = array<i64: 768, 896>, workspace
exec.program @larger ways [2] {
  %x = exec.buffer input "x" : tensor<64x64xf32> #smex.division<part 1>
  %y = exec.buffer temporary "x" : tensor<64x64xf32> #smex.division<whole>
  %z = exec.buffer input "z" : tensor<1024xf32> #smex.division<placed 1>
  exec.fetch %x to %y
  exec.output "y" %y
  exec.output "z" %z
}

// Rows go from their place to their place.
// CHECK: exec.program @rows ways [2] attributes {arena = array<i64: 192, 192>, workspace
exec.program @rows ways [2] {
  %x = exec.buffer input "x" : tensor<4x8xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4x8xf32> #smex.division<whole>
  exec.fetch %x to %y
  exec.output "y" %y
}

// Five workers have terms of each element, of four bytes each: 64 bytes for
// those of the others.
// CHECK: exec.program @terms ways [5] attributes {arena = array<i64: 192, 192, 192, 192, 192>, staging = array<i64: 64, 64, 64, 64, 64>, workspace
exec.program @terms ways [5] {
  %x = exec.buffer input "x" : tensor<1x5xf32> #smex.division<part 1>
  %p = exec.buffer temporary "y" : tensor<1xf32> partial #exec.result<[1, 5] by <part 1>>
  %y = exec.buffer temporary "y" : tensor<1xf32> #smex.division<whole>
  exec.compute @sum(%x) to %p extents [1, 5] indices #smex.division<part 1>
  exec.reduce Sum %p to %y
  exec.output "y" %y
}

// What lies in one place alone goes nowhere.
// CHECK: exec.program @alone ways [2] attributes {arena = array<i64: 256, 0>, workspace
exec.program @alone ways [2] {
  %x = exec.buffer input "x" : tensor<4x8xf32> #smex.division<placed 0>
  %y = exec.buffer temporary "x" : tensor<4x8xf32> #smex.division<placed 0>
  exec.fetch %x to %y
  exec.output "y" %y
}
