// A lower bound of a sum of tensors' terms (TensorTerms.h), raised step by
// step.
//
// Each term, minimized on its own, gives a bound, but a bad one: the terms that
// know an operator each choose its history as they like. So costs of histories
// are shifted between the terms, and what one term is charged for a history,
// the others are relieved of: no plan's sum changes, and the sum of the terms'
// minima may rise. Operator by operator, forward and backward over the graph,
// all that its terms cost at least for each history is gathered and handed out
// again, to the terms that know operators that are yet to come, the more the
// more of these there are ("sequential reweighted message passing": Kolmogorov
// 2015). A term of many operators, such as that of a weight of all timesteps,
// gathers as much as they can spare together.
//
// The bound is that of the linear relaxation at best. Costs are whole numbers,
// kept as doubles and so small that these are exact; what is shifted is added
// in one place and subtracted in another. So the bound is valid to the byte, at
// any time.
#ifndef SMEX_COMPILER_PARTITION_DUALASCENT_H
#define SMEX_COMPILER_PARTITION_DUALASCENT_H

#include "compiler/partition/ChargedTerms.h"

namespace smex::partition {

struct Bound {
  int64_t bytes = 0;
  /// Whether there was no more work to spend, though more might have come.
  bool isOutOfWork = false;
  /// Whether numbers got too large: then the charges are good for nothing.
  bool hasFailed = false;
};

/// At most the least sum of the terms. Ends when `enough` is reached, when
/// little more comes, or before it has looked at `maxWork` costs. Of at most
/// `maxKept` intermediate results nothing is found twice. It begins with the
/// charges, unless there are none, and ends with them.
Bound raiseBound(const TensorTerms &terms, int64_t enough, int64_t maxWork,
                 Charges &charges, int64_t maxKept = int64_t(1) << 23);

} // namespace smex::partition

#endif
