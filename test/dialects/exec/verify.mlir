// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Attributes are trusted by all that evaluate them: their lengths and ranges are
// checked here.

exec.program @p ways [1] {
  // expected-error @+2 {{expected ::smex::exec::Role to be one of: input, parameter, state, constant, temporary}}
  // expected-error @+1 {{failed to parse RoleAttr}}
  %x = exec.buffer scratch "x" : tensor<4xf32> #smex.division<whole>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has 1 boxes for 2 workers}}
  %x = exec.buffer input "x" : tensor<4xf32> #exec.boxes<[0:4]>
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{has a box outside its whole: [0:5]}}
  %x = exec.buffer input "x" : tensor<4xf32> #exec.boxes<[0:5]>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{has 1 boxes for 2 workers}}
  exec.compute @neg(%x) to %y extents [4] indices #exec.boxes<[0:4]>
}

// -----

// expected-error @+1 {{has a step of 0 ways after which there are 1 workers; 1 to 65536 are possible in all}}
exec.program @p ways [0] {
}

// -----

// expected-error @+1 {{has a step of -3 ways}}
exec.program @p ways [-3] {
}

// -----

// expected-error @+1 {{has a step of 257 ways after which there are 256 workers}}
exec.program @p ways [256, 257] {
}

// -----

// expected-error @+1 {{has one of arena and workspace}}
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>} {
}

// -----

// expected-error @+1 {{has 1 arenas for 2 workers}}
exec.program @p ways [2] attributes {arena = array<i64: 64>, workspace = array<i64: 0, 0, 64>} {
}

// -----

// expected-error @+1 {{has 2 numbers for workspace; 2 workers need 3}}
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, workspace = array<i64: 0, 0>} {
}

// -----

// expected-error @+1 {{has 1 numbers for staging of 2 workers}}
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, staging = array<i64: 64>, workspace = array<i64: 0, 0, 0>} {
}

// -----

// expected-error @+1 {{has staging of 128 bytes in an arena of 64}}
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, staging = array<i64: 64, 128>, workspace = array<i64: 0, 0, 0>} {
}

// -----

// expected-error @+1 {{has a negative arena or workspace}}
exec.program @p ways [2] attributes {arena = array<i64: 64, 64>, workspace = array<i64: 0, -64, 64>} {
}

// -----

// expected-error @+1 {{stands outside a program}}
%x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has elements of a type that lambdas do not know: 'tensor<4xindex>'}}
  %x = exec.buffer input "x" : tensor<4xindex> #smex.division<part 0>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a tensor of more bytes than 63 bits can count}}
  %x = exec.buffer input "x" : tensor<4611686018427387904x4xf32> #exec.boxes<[0:2, 0:4], [2:4, 0:4]>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a box outside its whole: [3:2]}}
  %x = exec.buffer input "x" : tensor<4xf32> #exec.boxes<[0:3], [3:2]>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a box outside its whole: [-1:3]}}
  %x = exec.buffer input "x" : tensor<4xf32> #exec.boxes<[-1:3], [3:4]>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{needs one offset per worker}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0> {offsets = array<i64: 0>}
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a negative offset}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0> {offsets = array<i64: 0, -8>}
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.fetch %b to %b
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.reduce Sum %b to %b
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.compute @f(%b) to %b extents [] indices #smex.division<whole>
}

// -----

exec.program @p ways [1] {
  %b = builtin.unrealized_conversion_cast to !exec.buffer
  // expected-error @+1 {{has an operand that is no exec.buffer}}
  exec.output "y" %b
}

// -----

exec.program @p ways [1] {
  %b = exec.buffer temporary "y" : tensor<2xf32> #smex.division<whole>
  // expected-error @+1 {{is no loss: that is one float}}
  exec.output "y" %b {loss}
}

// -----

exec.program @p ways [1] {
  %b = exec.buffer temporary "y" : tensor<i64> #smex.division<whole>
  // expected-error @+1 {{is no loss: that is one float}}
  exec.output "y" %b {loss}
}

// -----

exec.program @p ways [1] {
  %b = exec.buffer temporary "y" : tensor<f32> #smex.division<whole>
  // expected-error @+1 {{has a range that is none: an output of integers may have the least and the largest}}
  exec.output "y" %b {range = #smex.range<0 to 3>}
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a box outside its whole: [2:5]}}
  exec.compute @neg(%x) to %y extents [4] indices #exec.boxes<[0:2], [2:5]>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has a negative extent}}
  exec.compute @neg(%x) to %y extents [-4] indices #exec.boxes<[0:0], [0:0]>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{computes @exp, which is no tdl.lambda}}
  exec.compute @exp(%x) to %y extents [4] indices #smex.division<part 0>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{has 2 operands, but @neg takes 1}}
  exec.compute @neg(%x, %x) to %y extents [4] indices #smex.division<part 0>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{gives 2 extents, but @neg has 1 index variables}}
  exec.compute @neg(%x) to %y extents [4, 1] indices #smex.division<part 0>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{writes 'tensor<4xf32>', which is not what its extents say}}
  exec.compute @neg(%x) to %y extents [3] indices #exec.boxes<[0:2], [2:3]>
}

// -----

tdl.lambda @neg = "(x0: f64[1]) -> f32: lambda i0: f32(-x0[i0])"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{passes 'tensor<4xf32>' for operand x0 of @neg}}
  exec.compute @neg(%x) to %y extents [4] indices #smex.division<part 0>
}

// -----

exec.program @p ways [2] {
  %w = exec.buffer temporary "w" : tensor<4xf32> #smex.division<part 0>
  %n = exec.buffer temporary "n" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{changes what is no parameter}}
  exec.update %w by %n
}

// -----

exec.program @p ways [2] {
  %w = exec.buffer parameter "w" : tensor<4xf32> #smex.division<part 0>
  %n = exec.buffer temporary "n" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{gives a parameter the value of another region}}
  exec.update %w by %n
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a range or a recipe; only an input of integers may have one}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0> {range = #smex.range<1 to 3>}
}

// -----

exec.program @p ways [1] {
  // Every other element, from the second one, is below 3.
  %x = exec.buffer input "x" : tensor<4xi64> #smex.division<whole> {part_ranges = #smex.part_ranges<0 to 2 in [1:4:2]>}
  // expected-error @+1 {{has a range of a part that leaves dimension 0 of its tensor}}
  %y = exec.buffer input "y" : tensor<4xi64> #smex.division<whole> {part_ranges = #smex.part_ranges<0 to 2 in [1:6:2]>}
}

// -----

exec.program @p ways [1] {
  // expected-error @+1 {{has a range or a recipe; only an input of integers may have one}}
  %x = exec.buffer temporary "x" : tensor<4xi64> #smex.division<whole> {recipe = #smex.recipe<order of "y">}
}

// -----

// expected-error @+1 {{failed to satisfy constraint: a list of #smex.graph}}
exec.program @p ways [2] attributes {graphs = ["g"]} {
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: 2 divisions for 1 steps}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0, whole>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: step 1: no dimension 1}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 1>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a division that is none: step 1: 3 weights for 2 groups}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0 by weights [1, 1, 1]>
}

// -----

// What a result's terms are: of extents that begin with its own.
exec.program @p ways [2] {
  %x = exec.buffer temporary "x" : tensor<4xf32> #exec.result<[4, 6] by <part 1>>
  // expected-error @+1 {{is of a result whose extents are not its own}}
  %y = exec.buffer temporary "y" : tensor<4xf32> #exec.result<[5, 6] by <part 1>>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{has a negative extent}}
  %y = exec.buffer temporary "y" : tensor<4xf32> #exec.result<[4, -1] by <part 1>>
}

// -----

tdl.lambda @first = "(x: f32[1]) -> f32: lambda i: x[0 * i]"
exec.program @p ways [2] {
  %x = exec.buffer temporary "x" : tensor<4xf32> #exec.read<@first operand 0 of shapes [array<i64: 4>] over [3] by <part 0>>
  // expected-error @+1 {{has a division that is none: step 1: no dimension 1}}
  %y = exec.buffer temporary "y" : tensor<4xf32> #exec.read<@first operand 0 of shapes [array<i64: 4>] over [3] by <part 1>>
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{is what is read by @none, which is no tdl.lambda}}
  %x = exec.buffer temporary "x" : tensor<4xf32> #exec.read<@none operand 0 of shapes [array<i64: 4>] over [3] by <part 0>>
}

// -----

tdl.lambda @first = "(x: f32[1]) -> f32: lambda i: x[0 * i]"
exec.program @p ways [2] {
  // expected-error @+1 {{is read as an operand that has another shape}}
  %x = exec.buffer temporary "x" : tensor<4xf32> #exec.read<@first operand 1 of shapes [array<i64: 4>] over [3] by <part 0>>
}

// -----

tdl.lambda @first = "(x: f32[1]) -> f32: lambda i: x[0 * i]"
exec.program @p ways [2] {
  // expected-error @+1 {{has shapes that are not those of the operands of @first}}
  %x = exec.buffer temporary "x" : tensor<4xf32> #exec.read<@first operand 0 of shapes [array<i64: 4, 4>] over [3] by <part 0>>
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{has indices that are neither divided nor listed}}
  exec.compute @neg(%x) to %x extents [4] indices #exec.result<[4] by <part 0>>
}
