// RUN: smex-opt %s | smex-opt | FileCheck %s

// A fetch that gets rows, as runs of neighbours, for each worker; one may get
// none.
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<8x2xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<8x2xf32> #smex.division<whole>
  // CHECK: exec.fetch %{{.*}} to %{{.*}} rows <[0:2, 7:8], []>
  exec.fetch %x to %y rows #exec.rows<[0:2, 7:8], []>
}
