#include "compiler/pipeline/ListOrder.h"

#include <algorithm>

using namespace smex;
using namespace smex::pipeline;

namespace {

int64_t mostOf(const Candidate &made) {
  return *std::max_element(made.peaks().begin(), made.peaks().end());
}

} // namespace

Result<Candidate> smex::pipeline::fastestOrder(int64_t placedPeak,
                                               const MemoryLimit &limit,
                                               int64_t enough,
                                               const InOrder &make) {
  const auto isKept = [&](const Candidate &made) {
    return mostOf(made) <= placedPeak && limit.isKeptBy(made.peaks());
  };
  std::optional<Candidate> best;
  int64_t count = 0;
  for (const ListOrder order : {ListOrder::FetchedWhenMade,
                                ListOrder::FetchedLate, ListOrder::AsPlaced}) {
    if (count++ >= enough && isKept(*best))
      break;
    auto made = make(order);
    if (!made)
      return made;
    const bool isBetter =
        !best ||
        (isKept(*made) ? !isKept(*best) || made->cost() < best->cost()
                       : !isKept(*best) && mostOf(*made) < mostOf(*best));
    if (isBetter)
      best = std::move(*made);
  }
  return std::move(*best);
}
