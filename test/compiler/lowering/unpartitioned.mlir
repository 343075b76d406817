// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s
// RUN: smex-opt %s --smex-lower-to-exec=program=whole | FileCheck %s --check-prefix=NAMED

// Without decisions there are no steps, and one worker has and does everything.
// Nothing is fetched. The program is named by an option, and takes the place of
// @main.

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])"

// CHECK-NOT: @main
// CHECK: exec.program @partitioned ways []
// NAMED: exec.program @whole ways []
// CHECK-NEXT: %[[X:.*]] = exec.buffer input "x" : tensor<4xf32> #smex.division<>
// CHECK-NEXT: %[[Y:.*]] = exec.buffer temporary "y" : tensor<4xf32> #smex.division<>
// CHECK-NEXT: exec.compute @neg(%[[X]]) to %[[Y]] extents [4] indices #smex.division<>
// CHECK-NEXT: %[[S:.*]] = exec.buffer temporary "s" : tensor<f32> #smex.division<>
// CHECK-NEXT: exec.compute @sum(%[[Y]]) to %[[S]] extents [4] indices #smex.division<>
// CHECK-NEXT: exec.output "y" %[[Y]]
// CHECK-NEXT: exec.output "s" %[[S]]
func.func @main(%x: tensor<4xf32> {smex.name = "x"})
    -> (tensor<4xf32>, tensor<f32>) attributes {smex.outputs = ["y", "s"]} {
  %y = smex.apply @neg(%x) extents [4] "y" : (tensor<4xf32>) -> tensor<4xf32>
  %s = smex.apply @sum(%y) extents [4] "s" : (tensor<4xf32>) -> tensor<f32>
  return %y, %s : tensor<4xf32>, tensor<f32>
}
