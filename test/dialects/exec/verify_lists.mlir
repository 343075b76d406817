// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Pieces and waits: per worker their number, then so many, and nothing after the
// last.

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has pieces of 0 workers; there are 2}}
  exec.fetch %x to %y pieces []
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has pieces of 1 workers; there are 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 0 has 3 pieces; 7 numbers are left}}
  exec.fetch %x to %y pieces [3, 1, 2, 4, 1, 0, 0, 2]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 1 has 1 pieces; 2 numbers are left}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 0 has -1 pieces; 1 numbers are left}}
  exec.fetch %x to %y pieces [-1, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 0 has 9223372036854775807 pieces; 1 numbers are left}}
  exec.fetch %x to %y pieces [9223372036854775807, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has 1 numbers after its pieces}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has a piece from worker 2; there are 2}}
  exec.fetch %x to %y pieces [1, 2, 2, 4, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has a piece from worker -1; there are 2}}
  exec.fetch %x to %y pieces [1, -1, 2, 4, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has a piece outside its tensor: [2:5]}}
  exec.fetch %x to %y pieces [1, 1, 2, 5, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has a piece outside its tensor: [4:2]}}
  exec.fetch %x to %y pieces [1, 1, 4, 2, 0]
}

// -----

exec.program @p workers 1 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 4]
  %y = exec.buffer temporary "x" : tensor<4x1xf32> boxes [0, 4, 0, 1]
  // expected-error @+1 {{moves 'tensor<4xf32>' to 'tensor<4x1xf32>'}}
  exec.fetch %x to %y pieces [0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+2 {{expected ::smex::exec::Reducer to be one of: Sum, Prod, Max, Min}}
  // expected-error @+1 {{failed to parse ReducerAttr}}
  exec.reduce Mean %x to %y pieces [0, 0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has pieces of 1 workers; there are 2}}
  exec.reduce Sum %x to %y pieces [0]
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has waits of 0 workers; there are 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has waits of 1 workers; there are 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 0>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 0 has 2 waits; 3 numbers are left}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 2, 1, 0, 0>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{says that worker 1 has -1 waits; 0 numbers are left}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 0, -1>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{has 1 numbers after its waits}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 0, 0, 0>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{waits for instruction 0 of worker 2; there are 1 of 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 1, 2, 0, 0>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{waits for instruction 1 of worker 1; there are 1 of 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 1, 1, 1, 0>}
}

// -----

exec.program @p workers 2 {
  %x = exec.buffer input "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer temporary "x" : tensor<4xf32> boxes [0, 4, 0, 4]
  // expected-error @+1 {{waits for instruction -1 of worker 1; there are 1 of 2}}
  exec.fetch %x to %y pieces [1, 1, 2, 4, 1, 0, 0, 2] {waits = array<i64: 1, 1, -1, 0>}
}
