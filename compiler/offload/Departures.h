// What may leave the device for an operation of the search (Search.h), and
// which way: to the host, or for good.
#ifndef SMEX_COMPILER_OFFLOAD_DEPARTURES_H
#define SMEX_COMPILER_OFFLOAD_DEPARTURES_H

#include "compiler/offload/States.h"
#include "compiler/offload/Ways.h"

namespace smex::offload {

/// What leaves the device, to the host and for good.
struct Departure {
  std::vector<int> toHost, forgotten;
};

/// Of the states of a search, before an operation that is `next` in the list,
/// or runs again before that; `after`: see States.
class Departures {
public:
  /// The problem and the rules of its states outlive this. `mostStates`: see SearchOptions.
  Departures(const Problem &problem, const States &states, int mostStates)
      : problem(problem), states(states), mostStates(mostStates) {}

  /// All that may leave, and what that costs at least.
  std::vector<Leaving> candidates(const State &state, int operation,
                                  int next) const;

  /// Who goes which way, of what leaves. All combinations, or, where those are
  /// many, all that can the cheaper way, and all one way: then `isExact` is
  /// false.
  std::vector<Departure> departures(const State &state,
                                    const std::vector<int> &left, int next,
                                    int after, bool &isExact) const;

private:
  /// There and back, if it is to come back.
  int64_t costMoved(const State &state, int t, int next, int after) const;
  int64_t costForgotten(const State &state, int t, int after) const;

  const Problem &problem;
  const States &states;
  const int mostStates;
};

} // namespace smex::offload

#endif
