// Contractions as matrix products in the terms of BLAS: what a library with
// strided batches, such as cuBLASLt, computes in one call, and how many calls a
// contraction takes. The compiler asks whether there is such a product at all
// (Target.h), the runtime which one it is.
//
// The index variables of result[..] = Sum(left[..] * right[..]) are of four
// groups: in the result and left (m), in the result and right (n), summed (k),
// and in all three (b). Neighbours that lie in memory as one index would are
// merged; one of each of m, n, k is a dimension of a matrix, one more is the
// batch, and the rest are loops around.
#ifndef SMEX_RUNTIME_PLAN_MATRIXPRODUCT_H
#define SMEX_RUNTIME_PLAN_MATRIXPRODUCT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace smex::plan {

/// An index variable: its extent, its role, and elements between neighbours in
/// each array, 0 where it is not there.
struct ProductIndex {
  int64_t extent = 1;
  char role = 'b'; // as Kernel::roles
  int64_t result = 0, left = 0, right = 0;
};

/// d[m, n] = sum over k of a[m, k] * b[k, n], with d stored by columns.
struct MatrixProduct {
  struct Matrix {
    /// By columns, as BLAS has them: that of a is m x k, or k x m if it is
    /// transposed.
    bool transposed = false;
    int64_t leading = 1;     // elements between columns
    int64_t batchStride = 0; // elements between the batch's matrices
  };
  struct Loop {
    int64_t extent = 1;
    int64_t result = 0, left = 0, right = 0; // elements
  };
  /// a is the right operand, and b the left one.
  bool swapped = false;
  int64_t m = 1, n = 1, k = 1, batch = 1;
  Matrix a, b, d;
  std::vector<Loop> outer; // other products
  std::vector<Loop> inner; // products that are added to the same result

  /// A library's calls.
  int64_t calls() const;
};

/// The one with the fewest calls. Nothing if no choice of indices gives
/// matrices that have neighbours in memory, and dimensions of 31 bits, or if
/// nothing is to be summed. `addsUp`: results can be added to, so that there
/// may be inner loops.
std::optional<MatrixProduct>
matrixProduct(const std::vector<ProductIndex> &indices, bool addsUp);

} // namespace smex::plan

#endif
