// The schedule that costs least: Roc's Algorithm 1 (section 5), corrected.
//
// COST(S, T) is the least that has crossed when the operations S have run and
// the tensors T are on the device, over all ways to get there; S is an ideal
// (whatever it reads has been written), and T holds only what is still needed.
// As printed, the algorithm never keeps a tensor, since what was cached before
// an operation is a subset of what is after it. Here each operation minimizes
// over what was cached before, and what leaves for it.
//
// Which tensors of T have a copy on the host belongs to the state, since those
// leave for nothing. What is not on the device and still needed is certain to
// come back: that is counted at once where states are ranked, so that they are
// compared fairly.
//
// What may be computed again may leave without a copy. Before each operation,
// others run again, in the order of the list and each at most once, as in
// Checkmate's stages; what they read is there, or comes from the host, or by
// one of them before. So T also has what only they could still read.
//
// What starts at either place (Problem.h) is on the device until it, or its
// next value, leaves there: then it has started on the host, and what that
// costs is counted: a load before it was read first, a store of its next value.
//
// Without loss, something leaves only when room is lacking, and no more than
// is enough. A state is left out if another one of the same S becomes it for
// no more than the difference of their costs. What remains is exact, unless a
// layer has more states than the search keeps, or an operation more ways to
// make room: then the best ones are kept, and a bound says how good the plan
// is at least.
#ifndef SMEX_COMPILER_OFFLOAD_SEARCH_H
#define SMEX_COMPILER_OFFLOAD_SEARCH_H

#include "compiler/offload/Schedule.h"

#include <limits>

namespace smex::offload {

struct SearchOptions {
  /// The order of operations is free, as far as each finds its operands
  /// written; else that of the list. Of at most 64 operations.
  bool anyOrder = false;
  /// So many states after each number of operations.
  int mostStates = 4096;
  /// So many ways to make room are looked at for an operation and a state.
  int mostWays = 4096;
  /// Operations run again before any other one; else only before one that
  /// needs it, which is nearly always the best, and much less to search.
  bool ahead = true;
  /// What is forgotten may take so many operations to compute again, as things
  /// stand whenever something leaves.
  int mostAgain = std::numeric_limits<int>::max();
  /// Only what costs less is looked for.
  int64_t below = std::numeric_limits<int64_t>::max();
};

struct Found {
  Schedule schedule;
  Traffic traffic; // what replaying it gives
  /// No schedule of the problem costs less.
  int64_t lowerBound = 0;
  bool isOptimal = false; // the search left nothing out
  /// Of COST, over all S: how many were compared.
  int64_t states = 0;
};

/// An error where the problem is not valid, its largest operation does not fit
/// (checkFits), or, where something may not move, no schedule is found.
Result<Found> search(const Problem &problem, const SearchOptions &options = {});

/// What every schedule in the order of the list costs at least, without a
/// search: at moments so far apart that no tensor is away over two of them,
/// what has no room comes back once each, and so for what is stored; or for
/// all that being away costs, at the same moments.
int64_t lowerBound(const Problem &problem);
/// In whatever order: what is loaded and stored at least once.
int64_t compulsory(const Problem &problem);

} // namespace smex::offload

#endif
