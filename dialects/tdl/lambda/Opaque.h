// Opaque functions (thesis section 3.4.1): of whole slices of tensors, known by
// name only. Partitioned along the batch dimensions, and not otherwise.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_OPAQUE_H
#define SMEX_DIALECTS_TDL_LAMBDA_OPAQUE_H

#include "dialects/support/Tensor.h"

namespace smex::tdl {

struct OpaqueFunction {
  std::string_view name;
  /// Rank of each slice that it takes, and names of the constants that follow.
  std::vector<int> slices;
  std::vector<std::string_view> arguments;
  int resultRank;
  /// Element type of the result for that of the first slice; nothing where the
  /// function is not defined for it.
  std::optional<DType> (*resultType)(DType);
  Result<Tensor> (*evaluate)(const std::vector<Tensor> &slices,
                             const std::vector<double> &arguments);
  /// Where results are elements of the first slice, of rank 1: the function of
  /// the same slices and constants whose results, i64, say which element each
  /// one is. Gradients go there. Empty: there is no such function.
  std::string_view places = {};
  /// Elements of this value behind the others of a slice change no result that
  /// was there without them. Nothing: there is no such value.
  std::optional<double> padding = {};
};

/// Null: there is no such function.
const OpaqueFunction *findOpaque(std::string_view name);
std::vector<std::string_view> opaqueNames();

} // namespace smex::tdl

#endif
