// Problems for tests: Roc's Fig. 3, and small ones at random.
#ifndef SMEX_TEST_COMPILER_OFFLOAD_PROGRAMS_H
#define SMEX_TEST_COMPILER_OFFLOAD_PROGRAMS_H

#include "compiler/offload/Merge.h"

#include <random>

namespace smex::offload {

/// The one-layer GIN of Fig. 3, forward and backward, all tensors of one unit.
/// Table 3 says what each operation needs later: its states are those after
/// each prefix of the list. As Roc does, every result is written to the host.
Problem figure3(int64_t capacity);

/// A program of at most seven tensors, in which everything that a problem may
/// say happens now and then. Its largest operation fits.
Problem randomProblem(std::mt19937 &random);

/// The least that any schedule moves, found by trying every action in every
/// situation; with `anyOrder` operations run in any order. -1: none is
/// possible.
int64_t leastByBruteForce(const Problem &problem, bool anyOrder);

/// What one of the problems does of a joint schedule.
Schedule partOf(const std::vector<Joint> &joint, size_t problem);

} // namespace smex::offload

#endif
