// RUN: smex-opt %s --exec-plan-memory | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{workspace-bytes=4096}))' | FileCheck %s --check-prefix=ASKED
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{workspace-bytes=-2}))' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{workspace-bytes=9223372036854775807}))' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{packing-steps=-1}))' 2>&1 | FileCheck %s --check-prefix=STEPS

// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{kernels-on-gpus=true}))' | FileCheck %s --check-prefix=GPUS
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{kernels-on-gpus=true workspace-bytes=4096}))' | FileCheck %s --check-prefix=BOTH
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory{on-gpus=true}))' | FileCheck %s --check-prefix=LIBRARY

// Library kernels of convolutions need scratch, beside the buffers: at least 64
// KiB where a program has one, nothing where it has none, or as much as is asked
// for. So do kernels that are generated for GPUs, of some opaque functions: each
// block has its own, and the worker with the most of them decides. GPUs' libraries
// of convolutions want room for all of their tensors, within a sixteenth of what
// is alive. Processors' sums of wide rows want a slice of them, and GPUs' room for
// parts of the longest.

tdl.lambda @neg = "(x: f32[1]) -> f32: lambda i: -x[i]"
tdl.lambda @det = "(x: f32[3]) -> f32: lambda i: @det(x[i, :, :])[]"
tdl.lambda @conv = "(x: f32[3], w: f32[3]) -> f32: lambda n, m, o: Sum(lambda c, k: x[n, c, o + k] * w[m, c, k])"

tdl.lambda @rows = "(x: f32[2], row: i64[1], s: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[s[e], f] where row[v] <= e and e < row[v + 1])"

// ERROR: error: workspace-bytes: -1, or 0 to 1099511627776
// STEPS: error: packing-steps: not negative
// The last number of `workspace` are the bytes of the scratch.
// CHECK: exec.program @map {{.*}} workspace = array<i64: 0, 0>}
// ASKED: exec.program @map {{.*}} workspace = array<i64: {{[0-9]+}}, 4096>}
exec.program @map ways [1] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<16xf32> #smex.division<whole>
  exec.compute @neg(%x) to %y extents [16] indices #smex.division<whole>
  exec.output "y" %y
}

// CHECK: exec.program @convolution {{.*}} workspace = array<i64: {{[0-9]+}}, 65536>}
// ASKED: exec.program @convolution {{.*}} workspace = array<i64: {{[0-9]+}}, 4096>}
exec.program @convolution ways [1] {
  %x = exec.buffer input "x" : tensor<1x2x8xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<4x2x3xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<1x4x6xf32> #smex.division<whole>
  exec.compute @conv(%x, %w) to %y extents [1, 4, 6, 2, 3] indices #smex.division<whole>
  exec.output "y" %y
}

// CHECK: exec.program @determinants {{.*}} workspace = array<i64: 0, 0, 0>}
// 3 of 5 matrices of 10 x 10 f64.
// GPUS: exec.program @determinants {{.*}} workspace = array<i64: {{[0-9]+}}, {{[0-9]+}}, 2400>}
// BOTH: exec.program @determinants {{.*}} workspace = array<i64: {{[0-9]+}}, {{[0-9]+}}, 4096>}
exec.program @determinants ways [2] {
  %x = exec.buffer input "x" : tensor<5x10x10xf32> #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<5xf32> #smex.division<part 0>
  exec.compute @det(%x) to %y extents [5] indices #smex.division<part 0>
  exec.output "y" %y
}

// 16 GiB are alive, of which the convolution's tensors are 286,523,392 bytes.
// CHECK: exec.program @large {{.*}} workspace = array<i64: {{[0-9]+}}, 16777216>}
// LIBRARY: exec.program @large {{.*}} workspace = array<i64: {{[0-9]+}}, 286535680>}
exec.program @large ways [1] {
  %b = exec.buffer input "b" : tensor<4294967296xf32> #smex.division<whole>
  %x = exec.buffer input "x" : tensor<64x1024x1026xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<64x1024x3xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<64x64x1024xf32> #smex.division<whole>
  exec.compute @conv(%x, %w) to %y extents [64, 64, 1024, 1024, 3] indices #smex.division<whole>
  exec.output "y" %y
  exec.output "b" %b
}

// 128 bytes of 65,536 rows, less than a sixteenth of 137 MB.
// CHECK: exec.program @sum_of_rows {{.*}} workspace = array<i64: {{[0-9]+}}, 8388608>}
exec.program @sum_of_rows ways [1] {
  %x = exec.buffer input "x" : tensor<65536x256xf32> #smex.division<whole>
  %row = exec.buffer input "row" : tensor<65537xi64> #smex.division<whole>
  %s = exec.buffer input "s" : tensor<600000xi64> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<65536x256xf32> #smex.division<whole>
  exec.compute @rows(%x, %row, %s) to %y extents [65536, 256, 600000] indices #smex.division<whole>
  exec.output "y" %y
}

// Of 86 features on each of three workers, rows are too narrow for that.
// CHECK: exec.program @narrow_parts {{.*}} workspace = array<i64: {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}, 0>}
// Two parts in each of 37 stretches of 16384 edges: 8 bytes, and 8 per feature.
// GPUS: exec.program @narrow_parts {{.*}} workspace = array<i64: {{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}, 51504>}
exec.program @narrow_parts ways [3] {
  %x = exec.buffer input "x" : tensor<65536x256xf32> #smex.division<part 1>
  %row = exec.buffer input "row" : tensor<65537xi64> #smex.division<whole>
  %s = exec.buffer input "s" : tensor<600000xi64> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<65536x256xf32> #smex.division<part 1>
  exec.compute @rows(%x, %row, %s) to %y extents [65536, 256, 600000] indices #smex.division<part 1>
  exec.output "y" %y
}
