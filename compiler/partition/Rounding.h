// From what terms are charged (DualAscent.h) to a plan.
//
// At the end of an ascent, the history with which an operator's terms cost
// least is mostly a good one, and where several cost the same, what is chosen
// for one operator says what is best for the next.
//
// What comes of that depends on where the ascent ends, and no other history of
// one operator may better it while those of ten would. So operators are freed
// again around terms that cost more than the bound has them cost, and decided
// anew, for what they are charged, with all others as they are ("large
// neighbourhood search": Shaw 1998).
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
Rounded roundCharges(const TensorTerms &terms, const Charges &charges,
                     int64_t maxWork);

/// Takes other histories while what the program moves becomes less: for one
/// operator after another, at most 20 times for each, and then, looking at no
/// more than about `maxWork` costs, for some that are neighbours.
Rounded improve(const TensorTerms &terms, const Charges &charges,
                const std::vector<int> &operators, int64_t maxWork);

} // namespace smex::partition

#endif
