// Maps that a library computes as it writes the result of a matrix product:
// recognized by their structure, never by an operator's name.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_EPILOGUE_H
#define SMEX_DIALECTS_TDL_ANALYSIS_EPILOGUE_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>

namespace smex::analysis {

enum class Activation {
  None,
  Relu, // max(z, 0)
  Gelu, // 0.5 z (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))
};

/// result[i..] = activation(product[i..] + bias[i'..]), where i' are the last
/// of the result's index variables, one or more, and the three have one type. A
/// bias may have leading dimensions that are read at 0. Without a bias there is
/// an activation.
struct Epilogue {
  Activation activation = Activation::None;
  int bias = -1; // its operand; -1: none is added
  /// Dimensions of the bias that are read at 0, before those that the result's
  /// index variables take.
  int leading = 0;
};

/// The lambda as the epilogue of what its operand `product` is; nothing if it
/// is none. With 16-bit floats, results that are rounded on the way count as
/// those that are not: a library adds and activates before it rounds once.
std::optional<Epilogue> matchEpilogue(const tdl::Lambda &lambda, int product);

} // namespace smex::analysis

#endif
