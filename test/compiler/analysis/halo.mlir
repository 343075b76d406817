// RUN: smex-opt %s --smex-print-strategies -o /dev/null | FileCheck %s

// A part of an index variable may need other elements of an operand than those
// of its own numbers.

// A window: from the part's first element to dx - 1 behind its last.
// CHECK-LABEL: @conv
// CHECK-NEXT: x -> concat x: x0[part + halo [0, dx - 1]] x1[whole]
// CHECK-NEXT: dx -> reduce Sum: x0[part + halo [0, x - 1]] x1[part]
tdl.lambda @conv = "(x0: f32[1], x1: f32[1]) -> f32: lambda x: Sum(lambda dx: x0[x + dx] * x1[dx])"

// A stride of two, and an offset.
// CHECK-LABEL: @odd
// CHECK-NEXT: i0 -> concat i0: x0[2*part + halo [1, 1]]
tdl.lambda @odd = "(x0: f32[1]) -> f32: lambda i0: x0[2 * i0 + 1]"

// Read from its end, an operand is needed in the opposite order.
// CHECK-LABEL: @flip
// CHECK-NEXT: i0 -> concat i0: x0[-part + halo [9, 9]]
tdl.lambda @flip = "(x0: f32[1]) -> f32: lambda i0: x0[9 - i0]"

// What a division makes of the part's numbers.
// CHECK-LABEL: @upsample
// CHECK-NEXT: i0 -> concat i0: x0[blocks]
tdl.lambda @upsample = "(x0: f32[1]) -> f32: lambda i0: x0[i0 // 2]"
