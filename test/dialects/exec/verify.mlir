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
