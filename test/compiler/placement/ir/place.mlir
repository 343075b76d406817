// RUN: smex-opt %s --smex-place="gpus=2 algorithm=layer-wise" | FileCheck %s
// RUN: smex-opt %s --smex-place="gpus=2 algorithm=heft" | FileCheck %s --check-prefix=HEFT
// RUN: smex-opt %s --smex-place="gpus=1 algorithm=heft" | FileCheck %s --check-prefix=ALONE
// RUN: smex-opt %s --smex-place="gpus=4 groups=2 algorithm=layer-wise" | FileCheck %s --check-prefix=GROUPS
// RUN: smex-opt %s --smex-place="gpus=4 replicas=2 algorithm=layer-wise" | FileCheck %s --check-prefix=REPLICAS
// RUN: not smex-opt %s --smex-place="gpus=4 replicas=3 algorithm=layer-wise" 2>&1 | FileCheck %s --check-prefix=UNLIKE
// RUN: not smex-opt %s --smex-place="gpus=4 replicas=2 groups=2 algorithm=layer-wise" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not smex-opt %s --smex-place="gpus=4 groups=3 algorithm=layer-wise" 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not smex-opt %s --smex-place="gpus=2 algorithm=magic" 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not smex-opt %s --smex-place="gpus=2 algorithm=heft memory-bytes=65536" 2>&1 | FileCheck %s --check-prefix=LITTLE
// RUN: not smex-opt %s --smex-place="gpus=4 groups=2 algorithm=heft memory-bytes=65536" 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not smex-opt %s --smex-place="gpus=4 groups=2 algorithm=heft memory-bytes=100000 spare=0.25" 2>&1 | FileCheck %s --check-prefix=SPARE
// RUN: smex-opt %s --smex-place="gpus=2 algorithm=heft" --smex-lower-to-exec | FileCheck %s --check-prefix=EXEC

// Each layer has its weights, and what the one makes for the other moves.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK: smex.search = {algorithm = "layer-wise", lower_bound_bytes = 0 : i64
// CHECK-SAME: bytes = 65536 : i64
// CHECK-SAME: smex.ways = array<i64: 2>
// CHECK: smex.cut = #smex.division<placed 0>
// CHECK: smex.parameter "w0" {cut = #smex.division<placed 0>}
// CHECK: smex.parameter "w1" {cut = #smex.division<placed 1>}
// CHECK: "first/y" {cut = #smex.division<placed 0>, split = #smex.division<placed 0>}
// CHECK: "second/y" {cut = #smex.division<placed 1>, split = #smex.division<placed 1>}

// A chain is fastest on one GPU.
// HEFT: bytes = 0 : i64

// ALONE: smex.ways = array<i64>
// ALONE-NOT: placed

// Within a group, what a GPU owns is a part.
// GROUPS: smex.ways = array<i64: 2, 2>
// GROUPS: "w0" {cut = #smex.division<placed 0, part {{[01]}}>}
// GROUPS: "second/y" {cut = #smex.division<placed 1, part {{[01]}}>

// Each replica has all weights, and half of the samples; what moves within it
// is half of what one alone moves, and there are two.
// REPLICAS: bytes = 65536 : i64
// REPLICAS-SAME: smex.ways = array<i64: 2, 2>
// REPLICAS: smex.cut = #smex.division<part 0, placed 0>
// REPLICAS: smex.parameter "w0" {cut = #smex.division<whole, placed 0>}
// REPLICAS: smex.parameter "w1" {cut = #smex.division<whole, placed 1>}
// REPLICAS: "first/y" {cut = #smex.division<part 0, placed 0>, split = #smex.division<part 0, placed 0>}
// REPLICAS: "second/y" {cut = #smex.division<part 0, placed 1>, split = #smex.division<part 0, placed 1>}

// UNLIKE: error: 4 GPUs are not 3 replicas of equal size
// BOTH: error: replicas place on GPUs, not on groups of them
// UNEQUAL: error: 4 GPUs are not 3 groups of equal size
// MAGIC: error: no placement algorithm is called "magic"; there are
// LITTLE: error: {{.*}}65536
// Three matrices of 65536 bytes, on two GPUs.
// EACH: error: {{.*}} needs 98304 bytes of each GPU of its group for what it makes and reads, and a GPU has 65536{{$}}
// SPARE: error: {{.*}} and a GPU has 75000 for that of its 100000 (a share of 0.25 is kept free){{$}}
// EXEC: exec.program
func.func @main(%x: tensor<128x128xf32> {smex.name = "x"})
    -> tensor<128x128xf32> attributes {smex.outputs = ["second/y"]} {
  %w0 = smex.parameter "w0" : tensor<128x128xf32>
  %w1 = smex.parameter "w1" : tensor<128x128xf32>
  %1 = smex.apply @matmul(%x, %w0) extents [128, 128, 128] "first/y" : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = smex.apply @matmul(%1, %w1) extents [128, 128, 128] "second/y" : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}
