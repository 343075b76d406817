// RUN: smex-opt %s --smex-partition=gpus=2 --split-input-file --verify-diagnostics

// What no machine has memory for is refused before the search.

// expected-error @+1 {{tensor w: too large}}
module {
  func.func @main() attributes {smex.outputs = []} {
    %w = smex.parameter "w" : tensor<4611686018427387904xf32>
    return
  }
}

// -----

// expected-error @+1 {{operator s: extent out of range}}
module {
  tdl.lambda @sum = "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0 * 0])"
  func.func @main(%x: tensor<4xf32>) -> tensor<f32> attributes {smex.outputs = ["s"]} {
    %s = smex.apply @sum(%x) extents [9223372036854775807] "s" : (tensor<4xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// Each tensor can be counted, but not what all its readers might fetch.
// expected-error @+1 {{the model is too large for 2 workers}}
module {
  tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"
  func.func @main(%x: tensor<72057594037927936xf32>) -> tensor<72057594037927936xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @neg(%x) extents [72057594037927936] "y" : (tensor<72057594037927936xf32>) -> tensor<72057594037927936xf32>
    return %y : tensor<72057594037927936xf32>
  }
}
