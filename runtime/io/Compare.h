// How far two arrays are apart.
#ifndef SMEX_RUNTIME_IO_COMPARE_H
#define SMEX_RUNTIME_IO_COMPARE_H

#include "dialects/support/Tensor.h"

#include <string>

namespace smex::io {

/// The default of --tolerance: differences up to this part of the reference's
/// largest magnitude are rounding, where values are computed in this type. Half
/// a unit of the last place, u, is 2^-11 of a f16 and 2^-8 of a bf16; 256
/// roundings one after the other, each of them up or down by chance, come to
/// sqrt(256) u: 16 u, which is 0.0078 and 0.0625. All other types: 1e-4.
double toleranceOf(DType type);

struct Comparison {
  bool same = false;     // equal, or within the tolerance
  bool bitEqual = false; // every bit
  /// The largest difference as a part of the reference's largest magnitude.
  double relative = 0;
  /// One line: "bit-equal", "within 3.1e-07 of the largest magnitude", or
  /// "[3, 7]: 0.125, 0.25 expected (..)".
  std::string text;
};

/// `reference` is what `tensor` should be. Types and shapes must agree. Floats:
/// NaN equals NaN, an infinity only itself, other values may differ by
/// `tolerance` times the reference's largest finite magnitude (toleranceOf its
/// type, where none is given). Integers and booleans must be equal.
Comparison compare(const Tensor &tensor, const Tensor &reference,
                   double tolerance);
Comparison compare(const Tensor &tensor, const Tensor &reference);

/// An element's value; NaN of a type that is no number.
double realAt(const Tensor &tensor, int64_t element);

/// "[3, 7]": the coordinates of element `element`.
std::string coordinates(const std::vector<int64_t> &shape, int64_t element);

} // namespace smex::io

#endif
