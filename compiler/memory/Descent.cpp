#include "compiler/memory/Descent.h"

#include <algorithm>

using namespace smex::memory;

namespace {

/// Of all steps, those at one capacity in the first round.
constexpr int64_t kFirstShare = 64;
/// The next capacity: so much of what the best one is above the bound, half of
/// the way back to that after each failure, and then the next round.
constexpr double kNext = 0.5, kLast = 0.85;

} // namespace

Descent::Descent(const std::vector<Allocation> &buffers, int64_t alignment)
    : buffers(buffers), alignment(alignment) {
  if (PackingSearch::isSmall(buffers))
    exact.emplace(buffers, alignment);
}

bool Descent::isFound(PackingSearch &search, int64_t capacity, int64_t steps,
                      Placement &best) {
  const Verdict verdict = search.fit(capacity, steps);
  if (verdict == Verdict::Fits)
    best.improve(buffers, search.offsets());
  if (verdict == Verdict::Impossible)
    impossible = std::max(impossible, capacity);
  return verdict == Verdict::Fits;
}

void Descent::tryBound(int64_t steps, Placement &best) {
  if (exact && best.lowerBound > impossible)
    isFound(*exact, best.lowerBound, steps, best);
}

void Descent::go(int64_t steps, Placement &best) {
  if (!exact)
    return;
  if (!loose)
    loose.emplace(buffers, alignment);
  const int64_t bound = best.lowerBound,
                before = exact->steps() + loose->steps();
  const auto left = [&] {
    return steps - (exact->steps() + loose->steps() - before);
  };
  for (int64_t share = steps / kFirstShare + 1; left() > 0; share *= 2) {
    tryBound(std::min(share, left()), best);
    if (isNearEnough(best.peak, bound) && impossible >= bound)
      return;
    double part = kNext;
    while (!isNearEnough(best.peak, bound) && part < kLast && left() > 0) {
      const int64_t below = std::max(bound, impossible);
      const int64_t above = int64_t(double(best.peak - below) * part);
      const int64_t capacity = below + above / alignment * alignment;
      if (capacity == below)
        return;
      if (!isFound(*loose, capacity, std::min(share, left()), best) &&
          capacity != impossible)
        part = (1 + part) / 2;
    }
    if (best.peak <= bound)
      return;
  }
}
