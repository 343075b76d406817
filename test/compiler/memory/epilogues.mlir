// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-plan-memory,exec-mark-epilogues,exec-insert-waits))' | FileCheck %s
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-fetch-biases,exec-overlap-transfers,exec-plan-memory,exec-mark-epilogues,exec-insert-waits))' | FileCheck %s --check-prefix=FIRST

// A map that a library does as it writes a product's result is marked with the
// operand that is the product.

tdl.lambda @product = "(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * b[k, j])"
tdl.lambda @relu = "(x: f32[2]) -> f32: lambda i, j: max(x[i, j], 0)"
tdl.lambda @exp = "(x: f32[2]) -> f32: lambda i, j: exp(x[i, j])"
tdl.lambda @biased = "(b: f32[1], x: f32[2]) -> f32: lambda i, j: x[i, j] + b[j]"
tdl.lambda @along_rows = "(b: f32[1], x: f32[2]) -> f32: lambda i, j: x[i, j] + b[i]"

// CHECK-LABEL: exec.program @activated ways [1]
exec.program @activated ways [1] {
  %a = exec.buffer input "a" : tensor<8x4xf32> #smex.division<whole>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<whole>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<whole>
  // CHECK: exec.compute @product
  // CHECK-NOT: epilogue
  exec.compute @product(%a, %b) to %p extents [8, 8, 4] indices #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<whole>
  // CHECK: exec.compute @relu({{.*}}) {{.*}} {epilogue = 0 : i64}
  exec.compute @relu(%p) to %y extents [8, 8] indices #smex.division<whole>
  exec.output "y" %y
}

// Another map is none, nor is one of a value that something else reads, be it
// an output.
// CHECK-LABEL: exec.program @none ways [1]
// CHECK-NOT: epilogue
exec.program @none ways [1] {
  %a = exec.buffer input "a" : tensor<8x4xf32> #smex.division<whole>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<whole>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @product(%a, %b) to %p extents [8, 8, 4] indices #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @exp(%p) to %y extents [8, 8] indices #smex.division<whole>
  %q = exec.buffer temporary "q" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @product(%a, %b) to %q extents [8, 8, 4] indices #smex.division<whole>
  %z = exec.buffer temporary "z" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @relu(%q) to %z extents [8, 8] indices #smex.division<whole>
  %r = exec.buffer temporary "r" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @product(%a, %b) to %r extents [8, 8, 4] indices #smex.division<whole>
  %s = exec.buffer temporary "s" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @relu(%r) to %s extents [8, 8] indices #smex.division<whole>
  %t = exec.buffer temporary "t" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @exp(%r) to %t extents [8, 8] indices #smex.division<whole>
  %c = exec.buffer parameter "c" : tensor<8xf32> #smex.division<whole>
  %u = exec.buffer temporary "u" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @product(%a, %b) to %u extents [8, 8, 4] indices #smex.division<whole>
  %v = exec.buffer temporary "v" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @along_rows(%c, %u) to %v extents [8, 8] indices #smex.division<whole>
  exec.output "q" %q
  exec.output "y" %y
  exec.output "z" %z
  exec.output "s" %s
  exec.output "t" %t
  exec.output "v" %v
}

// Parts of a sum have no epilogue: they are no values yet. The map of their sum
// is none, as that is made by no product.
// CHECK-LABEL: exec.program @terms ways [2]
// CHECK-NOT: epilogue
exec.program @terms ways [2] {
  %a = exec.buffer input "a" : tensor<8x4xf32> #smex.division<part 1>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<part 0>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> partial #exec.result<[8, 8, 4] by <part 2>>
  exec.compute @product(%a, %b) to %p extents [8, 8, 4] indices #smex.division<part 2>
  %q = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<part 0>
  exec.reduce Sum %p to %q
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<part 0>
  exec.compute @relu(%q) to %y extents [8, 8] indices #smex.division<part 0>
  exec.output "y" %y
}

// With a bias that is fetched before, the product waits for it, and what waits
// for the map does so as ever.
// CHECK-LABEL: exec.program @fetched ways [2]
exec.program @fetched ways [2] {
  %a = exec.buffer input "a" : tensor<8x4xf32> #smex.division<part 0>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<whole>
  %c = exec.buffer parameter "c" : tensor<8xf32> #smex.division<part 0>
  %d = exec.buffer temporary "c" : tensor<8xf32> #smex.division<whole>
  exec.fetch %c to %d
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<part 0>
  // CHECK: exec.compute @product({{.*}}) {{.*}} {waits = #exec.waits<0>}
  exec.compute @product(%a, %b) to %p extents [8, 8, 4] indices #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<part 0>
  // CHECK: exec.compute @biased({{.*}}) {{.*}} {epilogue = 1 : i64}
  exec.compute @biased(%d, %p) to %y extents [8, 8] indices #smex.division<part 0>
  %z = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<whole>
  // CHECK: exec.fetch {{.*}} {waits = #exec.waits<2 over [0]>}
  exec.fetch %y to %z
  exec.output "z" %z
}

// A bias that comes later is waited for by the map alone; unless it is fetched
// first.
// CHECK-LABEL: exec.program @later ways [2]
// FIRST-LABEL: exec.program @later ways [2]
// FIRST: exec.fetch
// FIRST: exec.compute @product({{.*}}) {{.*}} {waits = #exec.waits<0>}
// FIRST: exec.compute @biased({{.*}}) {{.*}} {epilogue = 1 : i64}
exec.program @later ways [2] {
  %a = exec.buffer input "a" : tensor<4096x4xf32> #smex.division<part 0>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<whole>
  %c = exec.buffer parameter "c" : tensor<8xf32> #smex.division<part 0>
  %p = exec.buffer temporary "p" : tensor<4096x8xf32> #smex.division<part 0>
  // CHECK-NOT: epilogue
  exec.compute @product(%a, %b) to %p extents [4096, 8, 4] indices #smex.division<part 0>
  %d = exec.buffer temporary "c" : tensor<8xf32> #smex.division<whole>
  exec.fetch %c to %d
  %y = exec.buffer temporary "y" : tensor<4096x8xf32> #smex.division<part 0>
  exec.compute @biased(%d, %p) to %y extents [4096, 8] indices #smex.division<part 0>
  exec.output "y" %y
}

// Where the arena would grow by more than packing leaves to chance, nothing is
// fetched sooner.
// CHECK-LABEL: exec.program @small ways [2]
// FIRST-LABEL: exec.program @small ways [2]
// FIRST: exec.compute @product
// FIRST: exec.fetch
// FIRST-NOT: epilogue
exec.program @small ways [2] {
  %a = exec.buffer input "a" : tensor<8x4xf32> #smex.division<part 0>
  %b = exec.buffer parameter "b" : tensor<4x8xf32> #smex.division<whole>
  %c = exec.buffer parameter "c" : tensor<8xf32> #smex.division<part 0>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<part 0>
  exec.compute @product(%a, %b) to %p extents [8, 8, 4] indices #smex.division<part 0>
  %d = exec.buffer temporary "c" : tensor<8xf32> #smex.division<whole>
  exec.fetch %c to %d
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<part 0>
  exec.compute @biased(%d, %p) to %y extents [8, 8] indices #smex.division<part 0>
  exec.output "y" %y
}
