// RUN: smex-opt %s --split-input-file --verify-diagnostics

// A program as a whole: what is read has been written, and what there may be
// once is there once.

exec.program @p ways [2] {
  %x = exec.buffer temporary "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{reads "x", which nothing before it writes}}
  exec.fetch %x to %y
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [1] {
  %i = exec.buffer input "i" : tensor<4xf32> #smex.division<whole>
  %x = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<whole>
  // Written later is not written yet.
  // expected-error @+1 {{reads "x", which nothing before it writes}}
  exec.compute @neg(%x) to %y extents [4] indices #smex.division<whole>
  exec.compute @neg(%i) to %x extents [4] indices #smex.division<whole>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [1] {
  %i = exec.buffer input "i" : tensor<4xf32> #smex.division<whole>
  %x = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  exec.compute @neg(%i) to %x extents [4] indices #smex.division<whole>
  // expected-error @+1 {{reads the buffer of "x" that it writes}}
  exec.compute @neg(%x) to %x extents [4] indices #smex.division<whole>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [1] {
  %i = exec.buffer input "i" : tensor<4xf32> #smex.division<whole>
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<whole>
  // A parameter changes by an update, after the step.
  // expected-error @+1 {{writes "w", but instructions write temporaries only}}
  exec.compute @neg(%i) to %w extents [4] indices #smex.division<whole>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{reads "x", which is no partial result}}
  exec.reduce Sum %x to %y
}

// -----

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4x6xf32> #smex.division<part 1>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #exec.result<[4, 6] by <part 1>>
  %t = exec.buffer temporary "s" : tensor<4xf32> #smex.division<part 0>
  exec.compute @sum(%x) to %s extents [4, 6] indices #smex.division<part 1>
  // expected-error @+1 {{reads the partial result of "s", and does not write one}}
  exec.fetch %s to %t
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> partial #smex.division<whole>
  // expected-error @+1 {{writes the partial result of "x", and does not read one}}
  exec.fetch %x to %y
}

// -----

exec.program @p ways [1] {
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{names a buffer that nothing writes}}
  exec.output "y" %y
}

// -----

exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  exec.output "y" %x
  // expected-error @+1 {{is not the only output "y"}}
  exec.output "y" %x
}

// -----

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4x6xf32> #smex.division<part 1>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #exec.result<[4, 6] by <part 1>>
  exec.compute @sum(%x) to %s extents [4, 6] indices #smex.division<part 1>
  // expected-error @+1 {{names a partial result}}
  exec.output "s" %s
}

// -----

exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  %b = builtin.unrealized_conversion_cast %y : !exec.buffer to !exec.buffer
  // expected-error @-1 {{stands in a program, but is not of exec}}
  exec.fetch %x to %y
}

// -----

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
tdl.lambda @add = "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4x6xf32> #smex.division<part 1>
  %y = exec.buffer input "y" : tensor<4xf32> #smex.division<whole>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #smex.division<term Sum>
  %t = exec.buffer temporary "t" : tensor<4xf32> partial #smex.division<term Sum>
  exec.compute @sum(%x) to %s extents [4, 6] indices #smex.division<part 1>
  // expected-error @+1 {{reads "y", which is whole, and partial results}}
  exec.compute @add(%s, %y) to %t extents [4] indices #smex.division<term Sum>
}

// -----

tdl.lambda @sum = "(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4x6xf32> #smex.division<part 1>
  %s = exec.buffer temporary "s" : tensor<4xf32> partial #smex.division<term Sum>
  %t = exec.buffer temporary "s" : tensor<4xf32> partial #smex.division<term Sum>
  exec.compute @sum(%x) to %s extents [4, 6] indices #smex.division<part 1>
  // expected-error @+1 {{writes the partial result of "s", which a reduce may not}}
  exec.reduce Sum %s to %t
}
