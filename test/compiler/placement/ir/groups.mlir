// RUN: smex-opt %s --smex-place="gpus=4 groups=2 algorithm=heft machine=p2.8xlarge" | FileCheck %s --check-prefix=EVEN
// RUN: smex-opt %s --smex-place="gpus=4 groups=2 algorithm=heft machine=p2.8xlarge rounds=2" | FileCheck %s --check-prefix=CUT

// Of seven operators that seem to take the same, "gram" and three more are on
// one of two groups. Cut within it, "gram" brings half of "square" from the
// other GPU, so that the next time one operator fewer is beside it.

tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"
tdl.lambda @gram = "(x0: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x0[i1, r0])"

// EVEN-DAG: "gram" {cut = #smex.division<placed 0,
// EVEN-DAG: "y4" {cut = #smex.division<placed 0,
// CUT-DAG: "gram" {cut = #smex.division<placed 0,
// CUT-DAG: "y4" {cut = #smex.division<placed 1,
func.func @main() -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) attributes {smex.outputs = ["gram", "y0", "y1", "y2", "y3", "y4"]} {
  %a0 = smex.parameter "a0" : tensor<512x512xf32>
  %b0 = smex.parameter "b0" : tensor<512x512xf32>
  %a1 = smex.parameter "a1" : tensor<512x512xf32>
  %b1 = smex.parameter "b1" : tensor<512x512xf32>
  %a2 = smex.parameter "a2" : tensor<512x512xf32>
  %b2 = smex.parameter "b2" : tensor<512x512xf32>
  %a3 = smex.parameter "a3" : tensor<512x512xf32>
  %b3 = smex.parameter "b3" : tensor<512x512xf32>
  %a4 = smex.parameter "a4" : tensor<512x512xf32>
  %b4 = smex.parameter "b4" : tensor<512x512xf32>
  %w0 = smex.parameter "w0" : tensor<512x512xf32>
  %w = smex.apply @matmul(%w0, %w0) extents [512, 512, 512] "square" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %g = smex.apply @gram(%w) extents [512, 512, 512] "gram" : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %y0 = smex.apply @matmul(%a0, %b0) extents [512, 512, 512] "y0" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %y1 = smex.apply @matmul(%a1, %b1) extents [512, 512, 512] "y1" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %y2 = smex.apply @matmul(%a2, %b2) extents [512, 512, 512] "y2" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %y3 = smex.apply @matmul(%a3, %b3) extents [512, 512, 512] "y3" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %y4 = smex.apply @matmul(%a4, %b4) extents [512, 512, 512] "y4" : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %g, %y0, %y1, %y2, %y3, %y4 : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
}
