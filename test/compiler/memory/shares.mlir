// RUN: smex-opt %s --exec-plan-memory | FileCheck %s

// Each worker's arena holds its own shares, at multiples of 64 bytes. Of x, the
// first worker has 10 floats and the second 30; y is the first one's alone. So
// the first needs 64 + 40 bytes, and the second 120.

// CHECK: exec.program @p ways [2] attributes {arena = array<i64: 104, 120>
exec.program @p ways [2] {
  // CHECK: exec.buffer input "x" {{.*}} {offsets = array<i64: 64, 0>}
  %x = exec.buffer input "x" : tensor<40xf32> #smex.division<part 0 by weights [1, 3]>
  // CHECK: exec.buffer input "y" {{.*}} {offsets = array<i64: 0, 0>}
  %y = exec.buffer input "y" : tensor<16xf32> #smex.division<placed 0>
  exec.output "x" %x
  exec.output "y" %y
}
