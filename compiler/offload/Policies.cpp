#include "compiler/offload/Policies.h"

#include "compiler/offload/Residency.h"
#include "compiler/offload/Uses.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace smex;
using namespace smex::offload;

namespace {

/// What leaves first is what has the least key.
using Key = std::tuple<int, int>;

Key keyOf(Policy policy, const Uses &uses, int tensor, int operation) {
  const int last = uses.lastBefore(tensor, operation),
            next = uses.nextFrom(tensor, operation);
  switch (policy) {
  case Policy::Swapping:
    return {next <= operation + swappingLookAhead, last};
  case Policy::FurthestUse:
    return {-next, last};
  default:
    return {last, 0};
  }
}

bool lacksAny(const std::vector<int64_t> &bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](int64_t lacking) { return lacking > 0; });
}

} // namespace

Result<Schedule> smex::offload::scheduleBy(Policy policy,
                                           const Problem &given) {
  if (Status valid = validate(given); !valid)
    return valid.takeError();
  if (!given.moves)
    return fail("nothing may move: there is no schedule by a rule");
  Problem problem = given;
  for (Operation &op : problem.operations)
    op.again = -1;
  if (Status fits = checkFits(problem); !fits)
    return fits.takeError();
  const Uses uses(problem);
  Residency state(problem, /*dropsDead=*/policy != Policy::Lru);
  for (int o = 0; o < int(problem.operations.size()); ++o) {
    std::vector<int> leaving = state.evictable(o);
    std::stable_sort(leaving.begin(), leaving.end(), [&](int a, int b) {
      return keyOf(policy, uses, a, o) < keyOf(policy, uses, b, o);
    });
    for (int tensor : leaving) {
      if (policy != Policy::NoCache && !lacksAny(state.lacking(o)))
        break;
      state.evict(tensor);
    }
    // Streaming brings operands anew, even those that were there.
    if (policy == Policy::NoCache)
      for (int tensor : problem.operations[size_t(o)].reads)
        if (state.isOnDevice(tensor) &&
            problem.tensors[size_t(tensor)].isMovable)
          state.evict(tensor);
    state.run(o);
  }
  return std::move(state).finish();
}

std::vector<int64_t> smex::offload::peakWithoutChoices(const Problem &problem) {
  Problem roomy = problem;
  roomy.capacities.assign(roomy.capacities.size(),
                          std::numeric_limits<int64_t>::max());
  Residency state(problem);
  for (int o = 0; o < int(problem.operations.size()); ++o)
    state.run(o);
  const auto traffic = replay(roomy, std::move(state).finish());
  return traffic ? traffic->peak : problem.capacities;
}
