// Repeated timesteps, found by structure (thesis section 3.5.1 takes them from
// the framework's unroll function): operators that are alike and read the same
// parameter as the same operand, and what surrounds them alike.
//
//     W ---> x1.W --> +b --> tanh ...      the three products read W and are
//       \--> x2.W --> +b --> tanh ...      one class, hence their results, and
//        \-> x3.W --> +b --> tanh ...      all that follows or precedes alike
//
// A class has one decision. That is a restriction: first and last timesteps
// could be cut otherwise, and so could any. The search makes it only where it
// could not be exact without (Recursive.h).
#ifndef SMEX_COMPILER_PARTITION_TIMESTEPS_H
#define SMEX_COMPILER_PARTITION_TIMESTEPS_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/PairCosts.h"

namespace smex::partition {

/// A class per tensor, then one per operator, numbered from 0 in order of
/// appearance. Tensors and operators of one class have the same choices.
std::vector<int> findTimesteps(const OperatorGraph &graph,
                               const PairCosts &costs, const Choices &choices);

} // namespace smex::partition

#endif
