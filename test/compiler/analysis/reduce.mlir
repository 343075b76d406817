// RUN: smex-opt %s --smex-print-strategies -o /dev/null | FileCheck %s

// An index variable of the reduction is cut: each worker has a partial result,
// and the lambda's reducer combines them (case 2 of thesis section 3.4.2).

// CHECK-LABEL: @matmul
// CHECK: r0 -> reduce Sum: x0[whole, part] x1[part, whole]
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// CHECK-LABEL: @largest
// CHECK: r0 -> reduce Max: x0[whole, part]
tdl.lambda @largest = "(x0: f32[2]) -> f32: lambda i0: Max(lambda r0: x0[i0, r0])"

// Each variable of a reduction is a strategy of its own.
// CHECK-LABEL: @product
// CHECK-NEXT: r0 -> reduce Prod: x0[part, whole]
// CHECK-NEXT: r1 -> reduce Prod: x0[whole, part]
// CHECK-NOT: ->
tdl.lambda @product = "(x0: f32[2]) -> f32: lambda: Prod(lambda r0, r1: x0[r0, r1])"
