// Who holds what: the decisions of the search (a dimension per recursion step)
// as boxes per worker, and pieces as differences of boxes.
#ifndef SMEX_COMPILER_LOWERING_SHARES_H
#define SMEX_COMPILER_LOWERING_SHARES_H

#include "dialects/support/Box.h"
#include "runtime/plan/Plan.h"

namespace smex::lowering {

/// Each worker's digit per step: the mixed-radix number of the worker, the
/// first step's digit the most significant.
std::vector<std::vector<int64_t>> digits(const std::vector<int64_t> &ways);

/// Each worker's share of a box [0, extents) of which step s cuts dimension
/// choice[s] in ways[s], or does what the choice says
/// (dialects/support/Share.h).
std::vector<Box> shares(const std::vector<int64_t> &extents,
                        const std::vector<int64_t> &choice,
                        const std::vector<int64_t> &ways);

/// Where worker `worker` gets `wanted` from, given what each worker holds: its
/// own part first, then the others' in order of distance, each element once.
/// Empty if some element is held by nobody.
std::vector<Piece> gather(const Box &wanted, int worker,
                          const std::vector<Box> &held);

/// The partial results that make up `wanted`: every element once from each
/// group of workers that computed the same share of the reduction.
/// `groups[w]` numbers that share, -1 for a worker that computed none. Pieces
/// are in the order of the groups, so that the sum does not depend on who adds.
std::vector<Piece> gatherPartials(const Box &wanted, int worker,
                                  const std::vector<Box> &held,
                                  const std::vector<int> &groups);

} // namespace smex::lowering

#endif
