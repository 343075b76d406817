// RUN: smex-opt %s --smex-place="gpus=2 algorithm=layer-wise" | FileCheck %s
// RUN: smex-opt %s --smex-place="gpus=2 algorithm=layer-wise" --smex-lower-to-exec | FileCheck %s --check-prefix=EXEC

// The second GPU would wait for "second/late" before it begins with what the
// first one needs: what is ready goes first.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK: smex.apply @matmul{{.*}} "second/soon" {cut = #smex.division<placed 1>
// CHECK: smex.apply @matmul{{.*}} "second/late" {cut = #smex.division<placed 1>
// CHECK: smex.update
// CHECK-NEXT: return
// EXEC: exec.program
func.func @main(%x: tensor<512x512xf32> {smex.name = "x"})
    -> (tensor<512x512xf32>, tensor<512x512xf32>) attributes {smex.outputs = ["second/late", "first/c"]} {
  %w0 = smex.parameter "first/w" : tensor<512x512xf32>
  %w1 = smex.parameter "second/w" : tensor<512x512xf32>
  %a = smex.apply @matmul(%x, %w0) extents [512, 512, 512] "first/a" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = smex.apply @matmul(%a, %w0) extents [512, 512, 512] "first/b" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %late = smex.apply @matmul(%b, %w1) extents [512, 512, 512] "second/late" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %next = smex.apply @matmul(%x, %w1) extents [512, 512, 512] "second/soon" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = smex.apply @matmul(%next, %b) extents [512, 512, 512] "first/c" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  smex.update %w0 by %c : tensor<512x512xf32>, tensor<512x512xf32>
  return %late, %c : tensor<512x512xf32>, tensor<512x512xf32>
}
