// RUN: smex-opt %s | smex-opt | FileCheck %s

// A buffer on the host, and moves to it and back: what is printed is read again.
// Where a buffer is on the device, nothing is said.

// CHECK: exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, host_arena = array<i64: 64, 64>, workspace = array<i64: 0, 0, 0>} {
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, host_arena = array<i64: 64, 64>, workspace = array<i64: 0, 0, 0>} {
  // CHECK-NEXT: %[[A:.*]] = exec.buffer input "a" : tensor<4xf32> #smex.division<part 0>
  %a = exec.buffer input "a" : tensor<4xf32> on device #smex.division<part 0>
  // CHECK-NEXT: %[[H:.*]] = exec.buffer temporary "a" : tensor<4xf32> on host #smex.division<part 0> {offsets = array<i64: 0, 0>}
  %h = exec.buffer temporary "a" : tensor<4xf32> on host #smex.division<part 0> {offsets = array<i64: 0, 0>}
  // CHECK-NEXT: %[[B:.*]] = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  // CHECK-NEXT: exec.to_host %[[A]] to %[[H]] {beside = 1 : i64, node = "a"}
  exec.to_host %a to %h {beside = 1 : i64, node = "a"}
  // CHECK-NEXT: exec.from_host %[[H]] to %[[B]] {waits = #exec.waits<0>}
  exec.from_host %h to %b {waits = #exec.waits<0>}
}

// Parameters and inputs may be on the host, and next values with them.
// CHECK: exec.program @q
exec.program @q ways [2] {
  // CHECK-NEXT: %[[X:.*]] = exec.buffer input "x" : tensor<4xf32> on host
  %x = exec.buffer input "x" : tensor<4xf32> on host #smex.division<part 0>
  // CHECK-NEXT: %[[W:.*]] = exec.buffer state "w" : tensor<4xf32> on host
  %w = exec.buffer state "w" : tensor<4xf32> on host #smex.division<part 0>
  %a = exec.buffer temporary "x" : tensor<4xf32> #smex.division<part 0>
  %n = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  exec.from_host %x to %a
  exec.to_host %a to %n
  // CHECK: exec.update %[[W]] by
  exec.update %w by %n
}
