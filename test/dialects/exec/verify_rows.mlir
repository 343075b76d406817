// RUN: smex-opt %s --split-input-file --verify-diagnostics

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has rows of 1 workers; there are 2}}
  exec.fetch %x to %y rows #exec.rows<[0:2]>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has rows that are not in order}}
  exec.fetch %x to %y rows #exec.rows<[0:2, 2:3], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has rows 1:5 of 4}}
  exec.fetch %x to %y rows #exec.rows<[1:2, 4:5], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has rows, and lists its pieces too}}
  exec.fetch %x to %y pieces #exec.pieces<[0 [0:2]], []> rows #exec.rows<[0:2], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<f32> #smex.division<placed 0>
  %y = exec.buffer temporary "x" : tensor<f32> #smex.division<whole>
  // expected-error @+1 {{has rows of a scalar}}
  exec.fetch %x to %y rows #exec.rows<[0:1], []>
}
