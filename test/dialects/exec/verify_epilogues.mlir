// RUN: smex-opt %s --split-input-file --verify-diagnostics

// What is said of a map that is the epilogue of a product, if that is not there.

tdl.lambda @relu = "(x: f32[1]) -> f32: lambda i: max(x[i], 0)"

exec.program @number ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{is the epilogue of input 1; there are 1}}
  exec.compute @relu(%x) to %y extents [4] indices #smex.division<whole> {epilogue = 1 : i64}
}

// -----

tdl.lambda @relu = "(x: f32[1]) -> f32: lambda i: max(x[i], 0)"

exec.program @maker ways [1] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<4xf32> #smex.division<whole>
  // expected-error @+1 {{is the epilogue of "x", which no single compute makes}}
  exec.compute @relu(%x) to %y extents [4] indices #smex.division<whole> {epilogue = 0 : i64}
}
