// RUN: smex-opt %s --smex-print-strategies -o /dev/null | FileCheck %s

// An index variable of the result is cut: each worker computes a part of the
// result, and the parts are put side by side (case 1 of thesis section 3.4.2).

// Rows of the product need the same rows of x0 and all of x1, columns the other
// way round.
// CHECK-LABEL: @matmul
// CHECK-NEXT: i0 -> concat i0: x0[part, whole] x1[whole, whole]
// CHECK-NEXT: i1 -> concat i1: x0[whole, whole] x1[whole, part]
tdl.lambda @matmul = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])"

// A transposed operand is cut along its other dimension.
// CHECK-LABEL: @transpose
// CHECK-NEXT: i0 -> concat i0: x0[whole, part]
// CHECK-NEXT: i1 -> concat i1: x0[part, whole]
tdl.lambda @transpose = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i1, i0]"

// Which row is read is known only when the plan runs: a worker needs all rows,
// but its own part of the list of their numbers.
// CHECK-LABEL: @gather
// CHECK-NEXT: i0 -> concat i0: x0[whole, whole] x1[part]
// CHECK-NEXT: i1 -> concat i1: x0[whole, part] x1[whole]
tdl.lambda @gather = "(x0: f32[2], x1: i64[1]) -> f32: lambda i0, i1: x0[x1[i0], i1]"
