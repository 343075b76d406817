// Contractions as matrix products.
//
// The indices of result[..] = Sum(left[..] * right[..]) fall in four groups: in
// the result and left (m), in the result and right (n), summed (k), and in all
// three (batch). Neighbours that are contiguous in memory are merged; one index
// of each of m, n, k becomes a dimension of a matrix, the rest are loops
// around.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_GEMMPLAN_H
#define SMEX_RUNTIME_BACKENDS_CPU_GEMMPLAN_H

#include "kernels/cpu/Contract.h"
#include "kernels/cpu/Nest.h"

#include <optional>

namespace smex::runtime {

/// result[m, n] = sum of left[m, k] * right[k, n], the result row-major.
struct GemmPlan {
  struct Matrix {
    int64_t leading = 1;     // elements between rows (columns if transposed)
    bool transposed = false; // stored with its second index outermost
  };
  int64_t m = 1, n = 1, k = 1;
  /// Left and right are exchanged, since the result is stored by columns.
  bool swapped = false;
  Matrix result, left, right;
  /// Elements from one row (column) of the product to the next.
  int64_t resultRow = 0, leftRow = 0, rightColumn = 0;
  cpu::Nest<3> outer; // result, left, right: a product per iteration
  cpu::Nest<2> inner; // left, right: products that are added up
};

/// Nothing if no choice of indices gives matrices that a library takes.
std::optional<GemmPlan> planGemm(std::vector<cpu::ContractionIndex> indices);

} // namespace smex::runtime

#endif
