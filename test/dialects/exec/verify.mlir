// RUN: smex-opt %s --split-input-file --verify-diagnostics

exec.program @p workers 1 {
  // expected-error @+1 {{has role "scratch"; it is input, parameter or temporary}}
  %x = exec.buffer "scratch" "x" : tensor<4xf32> boxes [0, 4]
}

// -----

exec.program @p workers 2 {
  // expected-error @+1 {{has 2 numbers for boxes; 2 workers of rank 1 need 4}}
  %x = exec.buffer "input" "x" : tensor<4xf32> boxes [0, 4]
}

// -----

exec.program @p workers 1 {
  // expected-error @+1 {{has a box outside its tensor: [0:5]}}
  %x = exec.buffer "input" "x" : tensor<4xf32> boxes [0, 5]
}

// -----

tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
exec.program @p workers 2 {
  %x = exec.buffer "input" "x" : tensor<4xf32> boxes [0, 2, 2, 4]
  %y = exec.buffer "temporary" "y" : tensor<4xf32> boxes [0, 2, 2, 4]
  // expected-error @+1 {{has 2 numbers for indices; 2 workers and 1 index variables need 4}}
  exec.compute @neg(%x) to %y extents [4] indices [0, 4]
}
