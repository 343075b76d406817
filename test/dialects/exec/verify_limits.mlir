// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Numbers that would overflow, or have no meaning, are refused before anybody
// computes with them.

// expected-error @+1 {{has 64 steps; at most 63 are possible}}
exec.program @p ways [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] {
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{has an offset from which 63 bits cannot count its bytes: 9223372036854775800}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole> {offsets = array<i64: 9223372036854775800>}
}

// -----

// Each of the two can be counted, but not both.
// expected-error @+1 {{has buffers of more bytes than 63 bits can count}}
exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4611686018427387904xi8> #smex.division<whole>
  %y = exec.buffer input "y" : tensor<4611686018427387904xi8> #smex.division<whole>
}

// -----

exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{lasts beside 1 instructions; there are 1}}
  exec.fetch %x to %y {beside = 1 : i64}
}

// -----

exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{lasts beside -1 instructions; there are 1}}
  exec.fetch %x to %y {beside = -1 : i64}
}
