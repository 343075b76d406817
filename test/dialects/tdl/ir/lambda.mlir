// RUN: smex-opt %s | FileCheck %s
// RUN: smex-opt %s | smex-opt | FileCheck %s
// RUN: smex-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// A lambda is printed in its canonical spelling, however it was written.

// CHECK: tdl.lambda @next = "(x0: f32[1]) -> f32: lambda i0: x0[i0 + 1]"
// GENERIC: <{lambda = #tdl.lambda<"(x0: f32[1]) -> f32: lambda i0: x0[i0 + 1]">, sym_name = "next"}>
tdl.lambda @next = "(x0: f32[1])->f32: lambda i0:   x0[(1 + i0)]"

// The same lambda in the generic form of an operation, as an attribute.
// CHECK: tdl.lambda @also = "(x0: f32[1]) -> f32: lambda i0: x0[i0 + 1]"
"tdl.lambda"() {sym_name = "also", lambda = #tdl.lambda<"(x0: f32[1]) -> f32: lambda i0: x0[i0 + 1]">} : () -> ()
