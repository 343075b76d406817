#include "compiler/offload/BestSearch.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

Result<Found> smex::offload::searchLimits(const Problem &problem,
                                          SearchOptions options) {
  const bool runsAgain =
      std::any_of(problem.operations.begin(), problem.operations.end(),
                  [](const Operation &op) { return op.again >= 0; });
  if (!runsAgain || options.ahead)
    return search(problem, options);
  Problem moving = problem;
  for (Operation &op : moving.operations)
    op.again = -1;
  auto best = search(moving, options);
  for (int most : {options.mostAgain, 16, 4, 1}) {
    options.mostAgain = most;
    options.below = best ? best->traffic.total() : options.below;
    auto next = search(problem, options);
    if (next)
      best = std::move(next);
  }
  if (best)
    best->lowerBound = lowerBound(problem);
  return best;
}

std::pair<Schedule, Traffic>
smex::offload::rather(const Problem &problem, const std::vector<Found> &found,
                      size_t own) {
  size_t best = own;
  Traffic traffic = found[own].traffic;
  for (size_t k = 0; k < found.size(); ++k) {
    const auto there = replay(problem, found[k].schedule);
    if (k != own && there &&
        (there->total() < traffic.total() ||
         (there->total() == traffic.total() && k < best))) {
      best = k;
      traffic = *there;
    }
  }
  return {found[best].schedule, traffic};
}
