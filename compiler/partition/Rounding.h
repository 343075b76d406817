// From what terms are charged (DualAscent.h) to a plan.
//
// At the end of an ascent, the history with which an operator's terms cost
// least is mostly a good one, and where several cost the same, what is chosen
// for one operator says what is best for the next.
#ifndef SMEX_COMPILER_PARTITION_ROUNDING_H
#define SMEX_COMPILER_PARTITION_ROUNDING_H

#include "compiler/partition/ChargedTerms.h"

namespace smex::partition {

/// A history per operator, by its number, and per term, which is one of its
/// tensor. None where numbers are too large.
struct Rounded {
  std::vector<int> operators, terms;
};

/// Decides operator by operator, in order, for the least cost with what was
/// decided before, then as `improve` does.
Rounded roundCharges(const TensorTerms &terms, const Charges &charges);

/// Takes another history for one operator after another, while that makes the
/// sum of the terms less, at most 20 times for each.
Rounded improve(const TensorTerms &terms, const std::vector<int> &operators);

} // namespace smex::partition

#endif
