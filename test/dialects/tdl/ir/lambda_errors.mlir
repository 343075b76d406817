// RUN: smex-opt %s --split-input-file --verify-diagnostics

// A text that is no lambda is refused where it stands, with the place in it.

// expected-error @+1 {{is not a lambda: lambda:1:36: expected a value, got the end}}
tdl.lambda @broken = "(x0: f32[1]) -> f32: lambda i0: x0["

// -----

// A lambda reads operands by as many indices as they have dimensions.
// expected-error @+1 {{is not a lambda}}
tdl.lambda @broken = "(x0: f32[2]) -> f32: lambda i0: x0[i0]"

// -----

// The attribute is checked as the operation is.
// expected-error @+1 {{is not a lambda}}
func.func private @f() attributes {a = #tdl.lambda<"lambda">}

// -----

// expected-error @+1 {{'tdl.lambda' op requires attribute 'lambda'}}
"tdl.lambda"() {sym_name = "none"} : () -> ()

// -----

// expected-error @+1 {{attribute 'lambda' failed to satisfy constraint: a lambda, parsed once}}
"tdl.lambda"() {sym_name = "text", lambda = "lambda: 0"} : () -> ()

// -----

// expected-note @+1 {{see existing symbol definition here}}
tdl.lambda @twice = "() -> f32: lambda: 0"
// expected-error @+1 {{redefinition of symbol named 'twice'}}
tdl.lambda @twice = "() -> f32: lambda: 1"
