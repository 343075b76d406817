// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Pieces and waits: a list for each worker, and numbers that exist.

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has pieces of 0 workers; there are 2}}
  exec.fetch %x to %y pieces #exec.pieces<>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has pieces of 1 workers; there are 2}}
  exec.fetch %x to %y pieces #exec.pieces<[1 [2:4]]>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece from worker 2; there are 2}}
  exec.fetch %x to %y pieces #exec.pieces<[2 [2:4]], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece from worker -1; there are 2}}
  exec.fetch %x to %y pieces #exec.pieces<[-1 [2:4]], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece outside its tensor: [2:5]}}
  exec.fetch %x to %y pieces #exec.pieces<[1 [2:5]], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece outside its tensor: [4:2]}}
  exec.fetch %x to %y pieces #exec.pieces<[1 [4:2]], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece outside its tensor: [0:1, 0:1]}}
  exec.fetch %x to %y pieces #exec.pieces<[1 [0:1, 0:1]], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a piece outside its tensor: nothing}}
  exec.fetch %x to %y pieces #exec.pieces<[1 nothing], []>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has pieces of 1 workers; there are 2}}
  exec.reduce Sum %x to %y pieces #exec.pieces<[]>
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{waits for instruction 0, which does not come before}}
  exec.fetch %x to %y {waits = #exec.waits<0 over [0]>}
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{waits for instruction -1, which does not come before}}
  exec.fetch %x to %y {waits = #exec.waits<-1>}
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{there is no step 64}}
  exec.fetch %x to %y {waits = #exec.waits<0 over [64]>}
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  exec.fetch %x to %y
  // expected-error @+1 {{waits over a step that is not there; there are 1}}
  exec.fetch %x to %y {waits = #exec.waits<0 over [1]>}
}

// -----

// No division says who has what.
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #exec.boxes<[0:1], [1:4]>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  exec.fetch %x to %y pieces #exec.pieces<[0 [0:1], 1 [1:4]], [0 [0:1], 1 [1:4]]>
  // expected-error @+1 {{needs pieces: no division says who has what of "x"}}
  exec.fetch %x to %y
}

// -----

exec.program @p ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "x" : tensor<4x1xf32> #smex.division<whole>
  // expected-error @+1 {{moves 'tensor<4xf32>' to 'tensor<4x1xf32>'}}
  exec.fetch %x to %y
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+2 {{expected ::smex::exec::Reducer to be one of: Sum, Prod, Max, Min}}
  // expected-error @+1 {{failed to parse ReducerAttr}}
  exec.reduce Mean %x to %y
}
