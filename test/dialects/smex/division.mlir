// RUN: smex-opt %s | smex-opt | FileCheck %s

// The text of divisions, of every kind.

// CHECK: smex.parameter "w" {cut = #smex.division<whole, part 0, part 1 by weights [2, 1], part 0 at bounds {{\[\[}}1], [3]], term Sum, placed 3>}
func.func @main() {
  %w = smex.parameter "w" {cut = #smex.division<whole, part 0, part 1 by weights [2, 1], part 0 at bounds [[1], [3]], term Sum, placed 3>} : tensor<4x4xf32>
  // Without a step, and without weights: even.
  // CHECK: smex.parameter "x" {cut = #smex.division<>}
  %x = smex.parameter "x" {cut = #smex.division<>} : tensor<4xf32>
  // CHECK: smex.parameter "y" {cut = #smex.division<part 0>}
  %y = smex.parameter "y" {cut = #smex.division<part 0 by weights []>} : tensor<4xf32>
  return
}
