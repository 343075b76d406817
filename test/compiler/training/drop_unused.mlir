// RUN: smex-opt %s --smex-drop-unused | FileCheck %s

// What neither an output nor an update needs goes: applications, what only
// they need, and lambdas that nothing applies then. Inputs stay.

// CHECK-NOT: tdl.lambda @unused
// CHECK: tdl.lambda @double
tdl.lambda @unused = "(x0: f32[1]) -> f32: lambda i0: x0[i0] + 1.0"
tdl.lambda @double = "(x0: f32[1]) -> f32: lambda i0: x0[i0] * 2.0"

// CHECK: func.func @main(%arg0: tensor<3xf32> {smex.name = "x"})
// CHECK-NEXT: smex.parameter "w"
// CHECK-NEXT: smex.apply @double({{.*}} "y"
// CHECK-NEXT: smex.update
// CHECK-NEXT: return
func.func @main(%x: tensor<3xf32> {smex.name = "x"}) attributes {smex.outputs = []} {
  %v = smex.parameter "v" : tensor<3xf32>
  %w = smex.parameter "w" : tensor<3xf32>
  %y = smex.apply @double(%w) extents [3] "y" : (tensor<3xf32>) -> tensor<3xf32>
  %a = smex.apply @unused(%v) extents [3] "a" : (tensor<3xf32>) -> tensor<3xf32>
  %b = smex.apply @unused(%a) extents [3] "b" : (tensor<3xf32>) -> tensor<3xf32>
  smex.update %w by %y : tensor<3xf32>, tensor<3xf32>
  return
}
