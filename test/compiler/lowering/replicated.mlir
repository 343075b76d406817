// RUN: smex-opt %s --smex-lower-to-exec | FileCheck %s

// Every worker computes a part, and then owns all: each fetches from the others
// what it has not computed itself.

module attributes {smex.ways = array<i64: 2>} {
  tdl.lambda @neg = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]"

  // CHECK: %[[PART:.*]] = exec.buffer temporary "y" : tensor<8xf32> #smex.division<part 0>
  // CHECK: exec.compute @neg(%{{.*}}) to %[[PART]] extents [8] indices #smex.division<part 0>
  // CHECK: %[[ALL:.*]] = exec.buffer temporary "y" : tensor<8xf32> #smex.division<whole>
  // CHECK: exec.fetch %[[PART]] to %[[ALL]]
  // CHECK: exec.output "y" %[[ALL]]
  func.func @main(%x: tensor<8xf32> {smex.name = "x", smex.cut = #smex.division<part 0>})
      -> tensor<8xf32> attributes {smex.outputs = ["y"]} {
    %y = smex.apply @neg(%x) extents [8] "y" {split = #smex.division<part 0>, cut = #smex.division<whole>}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
