// RUN: smex-opt %s | FileCheck %s
// RUN: smex-opt %s | smex-opt | FileCheck %s

// What no division says is listed, with an entry for each worker: boxes, and
// for a fetch the pieces that each worker gets from which one. A worker may
// have nothing.

// CHECK-LABEL: exec.program @p ways [3]
exec.program @p ways [3] {
  // CHECK: exec.buffer input "x" : tensor<6x2xf32> #exec.boxes<[0:4, 0:2], [4:6, 0:2], nothing>
  %x = exec.buffer input "x" : tensor<6x2xf32> #exec.boxes<[0:4, 0:2], [4:6, 0:2], nothing>
  %y = exec.buffer temporary "x" : tensor<6x2xf32> #exec.boxes<[3:5, 0:2], nothing, [0:1, 0:1]>
  // The first worker has one of the two rows itself.
  // CHECK: exec.fetch %{{.*}} to %{{.*}} pieces <[0 [3:4, 0:2], 1 [4:5, 0:2]], [], [0 [0:1, 0:1]]>
  exec.fetch %x to %y pieces #exec.pieces<[0 [3:4, 0:2], 1 [4:5, 0:2]], [], [0 [0:1, 0:1]]>
}
