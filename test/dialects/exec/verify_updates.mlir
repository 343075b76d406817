// RUN: smex-opt %s --split-input-file --verify-diagnostics

// After a step, a parameter takes one value, which the step has computed.

exec.program @p ways [1] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<whole>
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{gives a parameter a value that nothing writes}}
  exec.update %w by %x
}

// -----

exec.program @p ways [1] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<whole>
  %v = exec.buffer parameter "v" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{gives a parameter a value that nothing writes}}
  exec.update %w by %v
}

// -----

exec.program @p ways [1] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<whole>
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %a = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  %b = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  exec.fetch %x to %a
  exec.fetch %x to %b
  exec.update %w by %a
  // expected-error @+1 {{is not the only update of parameter "w"}}
  exec.update %w by %b
}

// -----

exec.program @p ways [1] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<whole>
  %v = exec.buffer parameter "v" : tensor<4xf32> #smex.division<whole>
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %a = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  exec.fetch %x to %a
  exec.update %w by %a
  // expected-error @+1 {{gives two parameters one value}}
  exec.update %v by %a
}

// -----

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
exec.program @p ways [2] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #exec.result<[4, 6] by <part 1>>
  %x = exec.buffer input "x" : tensor<4x6xf32> #smex.division<part 1>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #exec.result<[4, 6] by <part 1>>
  exec.compute @sum(%x) to %s extents [4, 6] indices #smex.division<part 1>
  // expected-error @+1 {{gives a parameter a partial result}}
  exec.update %w by %s
}
