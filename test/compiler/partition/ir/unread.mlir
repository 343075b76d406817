// RUN: smex-opt %s --smex-partition=gpus=2 | FileCheck %s
// RUN: smex-opt %s --smex-partition=gpus=2 --smex-lower-to-exec | FileCheck %s --check-prefix=EXEC

// An input that nothing reads is divided as others are, and becomes a buffer.

// CHECK: func.func @main(%arg0: tensor<64xf32> {smex.cut = [[CUT:#smex.division<.*>]], smex.name = "x"})
// EXEC: exec.program @partitioned ways [2]
// EXEC-NEXT: exec.buffer input "x" : tensor<64xf32> #smex.division
func.func @main(%x: tensor<64xf32> {smex.name = "x"}) attributes {smex.outputs = []} {
  return
}
