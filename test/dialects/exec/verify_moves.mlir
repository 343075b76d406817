// RUN: smex-opt %s --split-input-file --verify-diagnostics

// What is on the host only moves touch: a plan that says anything else is refused
// by its reader.

exec.program @p ways [2] {
  // expected-error @+2 {{expected ::smex::exec::Space to be one of: device, host}}
  // expected-error @+1 {{failed to parse SpaceAttr}}
  %x = exec.buffer temporary "x" : tensor<4xf32> on disk #smex.division<part 0>
}

// -----

exec.program @p ways [2] {
  %w = exec.buffer parameter "w" : tensor<4xf32> on host #smex.division<part 0>
  %a = exec.buffer temporary "w" : tensor<4xf32> #smex.division<part 0>
  exec.from_host %w to %a
  // expected-error @+1 {{gives a parameter a value that is not in its space}}
  exec.update %w by %a
}

// -----

// expected-error @+1 {{has a host arena, but no arena; planning memory gives both}}
exec.program @p ways [2] attributes {host_arena = array<i64: 64, 64>} {
}

// -----

// expected-error @+1 {{has 1 host arenas for 2 workers}}
exec.program @p ways [2] attributes {arena = array<i64: 0, 0>, host_arena = array<i64: 64>, workspace = array<i64: 0, 0, 0>} {
}

// -----

// expected-error @+1 {{has a negative arena or workspace}}
exec.program @p ways [2] attributes {arena = array<i64: 0, 0>, host_arena = array<i64: 64, -64>, workspace = array<i64: 0, 0, 0>} {
}

// -----

// expected-error @+1 {{has a buffer on the host, but no host arena}}
exec.program @p ways [2] attributes {arena = array<i64: 0, 0>, workspace = array<i64: 0, 0, 0>} {
  %x = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.to_host %b to %b
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.from_host %b to %b
}

// -----

exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %g = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{reads "x" on the host, not on the device}}
  exec.to_host %h to %g
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{writes "x" on the device, not on the host}}
  exec.to_host %x to %y
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{reads "x" on the device, not on the host}}
  exec.from_host %x to %y
}

// -----

exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %g = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{writes "x" on the host, not on the device}}
  exec.from_host %h to %g
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %h = exec.buffer temporary "x" : tensor<4xi32> on host #smex.division<part 0>
  // expected-error @+1 {{moves 'tensor<4xf32>' to 'tensor<4xi32>'}}
  exec.to_host %x to %h
}

// -----

exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{moves "x" to "y", another tensor}}
  exec.from_host %h to %y
}

// -----

// Whoever wants another part fetches it.
exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %x = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{moves "x" to other regions of it}}
  exec.from_host %h to %x
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer temporary "x" : tensor<4xf32> partial #smex.division<whole>
  %h = exec.buffer temporary "x" : tensor<4xf32> partial on host #smex.division<whole>
  // expected-error @+1 {{moves "x" from or to a partial result, which only a reduce may read, and only a compute write}}
  exec.to_host %x to %h
}

// -----

exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %x = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{uses "x" on the host; only to_host and from_host may}}
  exec.fetch %h to %x
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer temporary "x" : tensor<4xf32> partial #smex.division<whole>
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{uses "x" on the host; only to_host and from_host may}}
  exec.reduce Sum %x to %h
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{uses "x" on the host; only to_host and from_host may}}
  exec.compute @neg(%h) to %y extents [4] indices #smex.division<part 0>
}

// -----

exec.program @p ways [2] {
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{uses "x" on the host; only to_host and from_host may}}
  exec.output "x" %h
}

// -----

exec.program @p ways [2] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<part 0>
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{gives a parameter a value that is not in its space: one is on the host, the other on the device}}
  exec.update %w by %h
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %h = exec.buffer temporary "x" : tensor<4xf32> on host #smex.division<part 0>
  // expected-error @+1 {{waits for instruction 0, which does not come before}}
  exec.to_host %x to %h {waits = #exec.waits<0>}
}
