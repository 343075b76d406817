#include "compiler/offload/Departures.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

/// Of so many tensors that could go either way, all combinations are looked at;
/// of fewer, where few states are kept.
constexpr size_t kMostChoices = 8, kFewChoices = 2;
constexpr int kFewStates = 1024;

int64_t Departures::costMoved(const State &state, int t, int next,
                              int after) const {
  return states.costToHost(state, t, next) +
         (states.isNeeded(t, state, after) ? states.tensor(t).moved : 0);
}

int64_t Departures::costForgotten(const State &state, int t, int after) const {
  return states.isNeeded(t, state, after) ? states.again(t) : 0;
}

std::vector<Leaving> Departures::candidates(const State &state, int operation,
                                            int next) const {
  const Operation &op = problem.operations[size_t(operation)];
  const int after = operation == next ? operation : next - 1;
  std::vector<Leaving> list;
  for (size_t word = 0; word < state.onDevice.size(); ++word)
    for (uint64_t left = state.onDevice[word]; left; left &= left - 1) {
      const int t = int(word * 64) + __builtin_ctzll(left);
      const bool isMoved = problem.mayMove(t),
                 isForgotten = states.mayForget(state, t, after);
      const int value = states.nextOf(t);
      if ((!isMoved && !isForgotten) || isAmong(op.reads, t) ||
          (value >= 0 && states.placeOf(state, t) >= 0 &&
           isAmong(op.writes, value)))
        continue;
      int64_t cost = isMoved ? costMoved(state, t, next, after)
                             : costForgotten(state, t, after);
      if (isForgotten)
        cost = std::min(cost, costForgotten(state, t, after));
      list.push_back(
          {t, states.tensor(t).bytes, cost, states.nextUse(t, next)});
    }
  return list;
}

std::vector<Departure> Departures::departures(const State &state,
                                              const std::vector<int> &left,
                                              int next, int after,
                                              bool &isExact) const {
  std::vector<int> either;
  Departure certain;
  for (int t : left)
    if (!states.mayForget(state, t, after))
      certain.toHost.push_back(t);
    else if (!problem.mayMove(t))
      certain.forgotten.push_back(t);
    else
      either.push_back(t);
  std::vector<Departure> list;
  const auto add = [&](auto &&isForgotten) {
    list.push_back(certain);
    for (size_t i = 0; i < either.size(); ++i)
      (isForgotten(i) ? list.back().forgotten : list.back().toHost)
          .push_back(either[i]);
  };
  if (either.size() <= (mostStates < kFewStates ? kFewChoices : kMostChoices)) {
    for (size_t bits = 0; bits < size_t(1) << either.size(); ++bits)
      add([&](size_t i) { return (bits >> i & 1) != 0; });
    return list;
  }
  isExact = false;
  add([&](size_t i) {
    return costForgotten(state, either[i], after) <
           costMoved(state, either[i], next, after);
  });
  add([](size_t) { return true; });
  add([](size_t) { return false; });
  return list;
}
