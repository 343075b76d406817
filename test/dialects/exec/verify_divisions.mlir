// RUN: smex-opt %s --split-input-file --verify-diagnostics

// A division divides dimensions that are there into as many groups as its step
// makes.

exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: 0 divisions for 1 steps}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<>
}

// -----

// A single number has no dimension to be cut along.
exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: step 1: no dimension 0}}
  %x = exec.buffer input "x" : tensor<f32> #smex.division<part 0>
}

// -----

exec.program @p ways [2, 3] {
  // expected-error @+1 {{has a division that is none: step 2: no group 3 of 3}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole, placed 3>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: step 1: all weights are 0}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0 by weights [0, 0]>
}

// -----

// Between two groups there is one bound.
exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: step 1: bounds that are not 1 ascending numbers}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0 at bounds [[1, 2]]>
}

// -----

exec.program @p ways [3] {
  // expected-error @+1 {{has a division that is none: step 1: bounds that are not 2 ascending numbers}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0 at bounds [[3, 1]]>
}

// -----

// In the second step, each group of the first one has bounds of its own.
exec.program @p ways [2, 2] {
  // expected-error @+1 {{has a division that is none: step 2: bounds of 1 groups; there are 2}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0, part 0 at bounds [[1]]>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{has a division that is none: step 1: no dimension 1}}
  exec.compute @neg(%x) to %y extents [4] indices #smex.division<part 1>
}
