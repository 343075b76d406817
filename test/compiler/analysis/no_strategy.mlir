// RUN: smex-opt %s --smex-print-strategies -o /dev/null | FileCheck %s

// Some lambdas cannot be cut at all: nothing is printed but their name.

// A single number has no index variable.
// CHECK: @scalar
// CHECK-NEXT: @places
tdl.lambda @scalar = "(x0: f32[0]) -> f32: lambda: -x0[]"

// The result of an opaque function is computed as a whole.
// CHECK-NOT: ->
tdl.lambda @places = "(x0: bool[1]) -> i64: lambda i0: @nonzero_places(x0[:])[i0]"
