// Opaque functions (thesis section 3.4.1): of whole slices of tensors, known by
// name only. Partitioned along the batch dimensions, and not otherwise.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_OPAQUE_H
#define SMEX_DIALECTS_TDL_LAMBDA_OPAQUE_H

#include "dialects/support/Tensor.h"

namespace smex::tdl {

struct Lambda;
using SliceShapes = std::vector<std::vector<int64_t>>;

struct OpaqueFunction {
  std::string_view name;
  /// Rank of each slice that it takes, and names of the constants that follow.
  std::vector<int> slices;
  std::vector<std::string_view> arguments;
  int resultRank;
  /// Element type of the result for that of the first slice; nothing where the
  /// function is not defined for it.
  std::optional<DType> (*resultType)(DType);
  /// The result's shape for slices of these shapes; an error where the function
  /// is not defined for them, or not with these constants.
  Result<std::vector<int64_t>> (*resultShape)(
      const SliceShapes &slices, const std::vector<double> &arguments);
  /// Of slices and constants that it is defined for.
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

/// Whether the call that is the lambda's body has a value for all indices below
/// `extents`, of operands of these shapes: the function is defined for the
/// slices, and its result has the elements that are asked for. Error: what is
/// wrong. Lambdas without a call, and without indices, have no such problem; of
/// a number of the result that is neither an index variable nor a constant,
/// nothing is said.
Status checkCall(const Lambda &lambda, const std::vector<int64_t> &extents,
                 const SliceShapes &shapes);

} // namespace smex::tdl

#endif
