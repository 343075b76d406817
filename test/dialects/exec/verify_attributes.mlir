// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Attributes that are not there, or of another kind.

exec.program @p ways [1] {
  // expected-error @+1 {{'exec.buffer' op requires attribute 'regions'}}
  %x = "exec.buffer"() {role = #exec<role input>, tensor = "x", tensorType = tensor<4xf32>} : () -> !exec.buffer
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{attribute 'regions' failed to satisfy constraint: #smex.division, #exec.read, #exec.result or #exec.boxes}}
  %x = "exec.buffer"() {role = #exec<role input>, tensor = "x", tensorType = tensor<4xf32>, regions = "all"} : () -> !exec.buffer
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{attribute 'tensorType' failed to satisfy constraint: type attribute of statically shaped tensor of any type values}}
  %x = "exec.buffer"() {role = #exec<role input>, tensor = "x", tensorType = f32, regions = #smex.division<whole>} : () -> !exec.buffer
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{attribute 'tensorType' failed to satisfy constraint: type attribute of statically shaped tensor of any type values}}
  %x = "exec.buffer"() {role = #exec<role input>, tensor = "x", tensorType = tensor<?xf32>, regions = #smex.division<whole>} : () -> !exec.buffer
}

// -----

// expected-error @+1 {{'exec.program' op requires attribute 'ways'}}
"exec.program"() ({
^bb0:
}) {sym_name = "p"} : () -> ()

// -----

// expected-error @+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
"exec.program"() ({
}) {sym_name = "p", ways = array<i64: 1>} : () -> ()

// -----

// Buffers are made by exec.buffer, not handed in.
"exec.program"() ({
^bb0(%b: !exec.buffer):
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  "exec.fetch"(%b, %b) : (!exec.buffer, !exec.buffer) -> ()
}) {sym_name = "p", ways = array<i64: 1>} : () -> ()

// -----

func.func @f() {
  // expected-error @+1 {{'exec.program' op symbol's parent must have the SymbolTable trait}}
  exec.program @p ways [1] {
  }
  return
}
