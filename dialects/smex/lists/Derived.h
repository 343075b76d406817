// Lists that follow from others: what a plan carries, or a runtime works out
// once per graph, instead of every call of a kernel. All from one stable
// counting sort of a key, a list of integers such as the destinations of edges.
//
// Keys below 0 count as smaller than all results, keys that are no result as
// larger: terms without a result come before the first segment, or after the
// last.
#ifndef SMEX_DIALECTS_SMEX_LISTS_DERIVED_H
#define SMEX_DIALECTS_SMEX_LISTS_DERIVED_H

#include "dialects/support/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smex::graph {

enum class Derivation {
  Offsets,  // of a key: entry v is the number of elements below v
  Order,    // of a key: places of its elements in ascending order, stable
  Gathered, // of a list and a key: the list in that order of the key
};

std::string_view name(Derivation derivation);
std::optional<Derivation> parseDerivation(std::string_view name);

/// How a list follows from others, which it names.
struct Recipe {
  Derivation derivation = Derivation::Offsets;
  std::vector<std::string> of;
  /// Empty, or for each of `of` what is added to its numbers below 0: they
  /// count from the end of so many places. At least 0; with 0 they stay.
  std::vector<int64_t> wraps;
  /// Empty, or for each of `of` which of its rows is meant: lists may lie
  /// together as the rows of a matrix. One of rank 1 is a row itself, 0.
  std::vector<int64_t> rows;

  bool operator==(const Recipe &other) const {
    return derivation == other.derivation && of == other.of &&
           wraps == other.wraps && rows == other.rows;
  }
};

/// The same with nothing instead of numbers that are all 0.
Recipe withoutZeros(Recipe recipe);

/// Can such a list be made of lists of these types, whatever their names? All
/// are i32 or i64, the list of rank 1, what it is made of 1, or 2 with the row
/// that is meant; as many as the derivation takes, and those of Order and
/// Gathered of the list's length; offsets are one at least.
Status follows(const Recipe &recipe, const std::vector<TensorType> &of,
               const TensorType &type);

/// A derived tensor of `type`; an error where it does not follow. A gathered
/// value that the type cannot hold becomes -1. O(results + elements) time; for
/// Gathered and Order, 8 bytes per element beside the result.
Result<Tensor> derive(const Recipe &recipe, const std::vector<Tensor> &of,
                      const TensorType &type);

} // namespace smex::graph

#endif
