#include "compiler/memory/Planner.h"

#include "compiler/memory/Boxes.h"
#include "compiler/memory/Descent.h"
#include "compiler/memory/Ejection.h"
#include "compiler/memory/Gaps.h"
#include "compiler/memory/LayoutSweep.h"
#include "compiler/memory/Orders.h"
#include "compiler/memory/Reassembly.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace smex::memory;

void Placement::improve(const std::vector<Allocation> &buffers,
                        std::vector<int64_t> others) {
  int64_t highest = 0;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].size)
      highest = std::max(highest, others[i] + buffers[i].size);
  if (highest < peak) {
    offsets = std::move(others);
    peak = highest;
  }
}

bool smex::memory::isNearEnough(int64_t peak, int64_t bound) {
  return peak - bound <= bound / 512;
}

int64_t smex::memory::mostAlive(const std::vector<Allocation> &buffers,
                                int64_t alignment) {
  std::vector<std::pair<int64_t, int64_t>> changes; // time, bytes
  for (const Allocation &b : buffers) {
    if (b.upper <= b.lower)
      continue;
    changes.push_back({b.lower, alignUp(b.size, alignment)});
    changes.push_back({b.upper, -alignUp(b.size, alignment)});
  }
  // At equal times what ends comes first: intervals are half-open.
  std::sort(changes.begin(), changes.end());
  int64_t alive = 0, most = 0;
  for (auto [time, bytes] : changes)
    most = std::max(most, alive += bytes);
  return most;
}

std::vector<Allocation>
smex::memory::lengthened(std::vector<Allocation> buffers,
                         const std::vector<int64_t> &wanted,
                         int64_t alignment) {
  int64_t first = 0, last = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    first = std::min(first, buffers[i].lower);
    last = std::max({last, buffers[i].upper, wanted[i]});
  }
  std::vector<int64_t> alive(size_t(last - first + 1), 0);
  for (const Allocation &b : buffers)
    if (b.lower < b.upper) {
      alive[size_t(b.lower - first)] += alignUp(b.size, alignment);
      alive[size_t(b.upper - first)] -= alignUp(b.size, alignment);
    }
  std::partial_sum(alive.begin(), alive.end(), alive.begin());
  const int64_t most = *std::max_element(alive.begin(), alive.end());
  for (size_t i = 0; i < buffers.size(); ++i) {
    Allocation &b = buffers[i];
    const int64_t size = alignUp(b.size, alignment);
    if (b.lower < b.upper)
      for (;
           b.upper < wanted[i] && alive[size_t(b.upper - first)] + size <= most;
           ++b.upper)
        alive[size_t(b.upper - first)] += size;
  }
  return buffers;
}

namespace {

/// What is worth doing for a lower peak: all where it is 4 % above the bound,
/// and in proportion where it is nearer; `most` times that where it is further.
int64_t worthDoing(int64_t steps, const Placement &placement, double most = 1) {
  const double above =
      double(placement.peak) / double(placement.lowerBound) - 1;
  return int64_t(double(steps) * std::min(most, 25 * above));
}

/// Of all steps, those of a search before all else, which often find the bound
/// sooner than a sweep does; and times so many are searched far above the
/// bound.
constexpr int64_t kAtFirst = 64;
constexpr double kMost = 2;
/// How much risk boxes are put together with, for good.
constexpr double kRisks[] = {0.0015, 0.01, 0.05, 0.2, 1};
/// Of boxes: the share of the steps for one attempt to pack them.
constexpr int64_t kBoxShare = 16;
/// Mending boxes of so many buffers takes all steps, of others it takes steps
/// in proportion, at least a sixteenth, and not more than for kMostSteps. Up to
/// so many are put into boxes for good first, which is sooner done.
constexpr int64_t kManyBuffers = 1024, kMostSteps = 8 * kManyBuffers;
/// Packings of boxes are looked for so often, if there are not more than these,
/// each time with this share of the steps that one attempt has.
constexpr int kRoundsOfMending = 128, kRoundsOfStart = 32;
constexpr size_t kFewBoxes = 400;
/// Of so many buffers, mending starts again from time to time.
constexpr size_t kFew = 4096;
constexpr int64_t kLookShare = 16;
/// Of the steps of mending: the share where buffers do not look cut.
constexpr int64_t kNotCut = 16;
/// Boxes of more are not mended: that takes some 13 KiB for each.
constexpr size_t kMostMended = 100'000;
/// Of all steps, for lower packings of kMostSteps buffers, and of fewer in
/// proportion; and times those of other attempts to pack the last boxes.
constexpr int64_t kEjections = 2, kBoxEjections = 4;
/// A step of a sweep takes as long as so many of the search.
constexpr int64_t kSweepStep = 8;

/// Walks through time at the bound, and then backwards: what is hard to guess
/// in one direction may be sure in the other. Half of the steps each, and more
/// for many buffers, which nothing else fits exactly.
void sweepAt(const std::vector<Allocation> &buffers, int64_t alignment,
             int64_t steps, Placement &best) {
  const int64_t most = worthDoing(steps, best) / 2 / kSweepStep *
                       (1 + int64_t(buffers.size()) / 4096);
  LayoutSweep sweep(buffers, alignment);
  auto offsets = sweep.fit(best.lowerBound, most);
  if (!offsets) {
    std::vector<Allocation> reversed;
    for (const Allocation &b : buffers)
      reversed.push_back({-b.upper, -b.lower, b.size});
    LayoutSweep back(reversed, alignment);
    offsets = back.fit(best.lowerBound, most);
  }
  if (offsets)
    best.improve(buffers, std::move(*offsets));
}

/// Looks for lower packings than the best so far, one buffer after the other.
void eject(const std::vector<Allocation> &buffers, int64_t alignment,
           int64_t steps, Placement &best) {
  if (!isNearEnough(best.peak, best.lowerBound))
    Ejection(buffers, alignment).go(steps, best);
}

/// Puts buffers into boxes, with more and more risk, and looks for a packing of
/// these at the bound; then of the fewest boxes, as low as it goes.
void packBoxes(const std::vector<Allocation> &buffers, Boxes boxes,
               int64_t alignment, int64_t steps, Placement &best) {
  size_t before = buffers.size();
  const int64_t bound = best.lowerBound;
  const auto inBoxes = [&](const std::vector<Allocation> &outer) {
    Placement placement;
    placement.lowerBound = bound;
    placement.peak = best.peak;
    placement.offsets.assign(outer.size(), 0);
    return placement;
  };
  const auto keep = [&](Placement placement) {
    if (placement.peak < best.peak)
      best.improve(buffers, boxes.offsets(placement.offsets));
  };
  for (const double risk : kRisks) {
    boxes.build(risk);
    const std::vector<Allocation> outer = boxes.outer();
    if (outer.size() * 20 > before * 19)
      continue;
    before = outer.size();
    Placement placement = inBoxes(outer);
    Descent descent(outer, alignment);
    descent.tryBound(steps / kBoxShare, placement);
    if (placement.peak > bound)
      sweepAt(outer, alignment, steps / kBoxShare, placement);
    keep(std::move(placement));
    if (best.peak <= bound)
      return;
  }
  if (before == buffers.size())
    return;
  const std::vector<Allocation> outer = boxes.outer();
  keep(packGreedily(outer, alignment));
  Placement placement = inBoxes(outer);
  Descent(outer, alignment).go(worthDoing(steps, best) / 4, placement);
  keep(std::move(placement));
}

/// Packs the boxes, if there are few, or it is the last time.
void packMended(const std::vector<Allocation> &buffers, const Reassembly &boxes,
                int64_t alignment, int64_t steps, bool isLast,
                Placement &best) {
  const std::vector<Allocation> outer = boxes.outer();
  if (outer.size() > kFewBoxes && !isLast)
    return;
  Placement placement = packGreedily(outer, alignment);
  placement.lowerBound = best.lowerBound;
  if (placement.peak > best.lowerBound) {
    Descent descent(outer, alignment);
    descent.tryBound(steps, placement);
    if (placement.peak > best.lowerBound)
      sweepAt(outer, alignment, steps, placement);
    if (isLast && !isNearEnough(placement.peak, best.lowerBound)) {
      eject(outer, alignment, kBoxEjections * steps, placement);
      descent.go(steps, placement);
    }
  }
  if (placement.peak < best.peak)
    best.improve(buffers, boxes.offsets(placement.offsets));
}

/// Puts buffers together into boxes, as few as it finds, and packs those. Where
/// few are left, it looks again and again whether these fit the bound: some of
/// what is put together by chance does no harm. What went astray early may not
/// come back, so few buffers start several times from what is sure; many had
/// better go on.
void packReassembled(const std::vector<Allocation> &buffers, int64_t alignment,
                     int64_t steps, Placement &best) {
  if (buffers.size() > kMostMended)
    return;
  const int64_t count =
      std::clamp(int64_t(buffers.size()), kManyBuffers / 16, kMostSteps);
  const int64_t all = steps / kManyBuffers * count;
  Reassembly boxes(buffers, alignment, gaps(buffers, alignment));
  boxes.build(all / 2);
  // Where next to nothing belongs together, there is no more to find.
  const bool isCut = boxes.outerCount() * 2 < buffers.size();
  const bool startsAgain = isCut && buffers.size() <= kFew;
  std::optional<Reassembly> built;
  if (startsAgain)
    built = boxes;
  for (int round = 1; round <= kRoundsOfMending; ++round) {
    boxes.mend(all / (isCut ? 1 : kNotCut) / kRoundsOfMending);
    const bool isLast = round == kRoundsOfMending;
    packMended(buffers, boxes, alignment,
               steps / kBoxShare / (isLast ? 1 : kLookShare), isLast, best);
    if (best.peak <= best.lowerBound)
      return;
    if (startsAgain && round % kRoundsOfStart == 0 && !isLast) {
      boxes = *built;
      boxes.reseed(unsigned(round));
    }
  }
}

} // namespace

Placement smex::memory::pack(const std::vector<Allocation> &buffers,
                             int64_t alignment, int64_t steps) {
  if (steps == 0)
    return packGreedily(buffers, alignment);
  Placement best = packInOrders(buffers, alignment);
  const int64_t bound = best.lowerBound;
  if (best.peak <= bound)
    return best;
  Descent descent(buffers, alignment);
  descent.tryBound(steps / kAtFirst, best);
  const auto inBoxes = [&] {
    if (!isNearEnough(best.peak, bound))
      packBoxes(buffers, Boxes(buffers, alignment), alignment,
                worthDoing(steps, best), best);
    if (!isNearEnough(best.peak, bound))
      if (const auto missing = gaps(buffers, alignment); !missing.empty())
        packBoxes(buffers, Boxes(buffers, alignment, missing), alignment,
                  worthDoing(steps, best), best);
  };
  const bool areMany = int64_t(buffers.size()) > kManyBuffers;
  if (!areMany)
    inBoxes();
  if (!isNearEnough(best.peak, bound))
    packReassembled(buffers, alignment, worthDoing(steps, best), best);
  // Boxes for good fit no more of many than mended ones do; of even more, none
  // are mended.
  if (areMany && (buffers.size() <= kFew || buffers.size() > kMostMended))
    inBoxes();
  if (best.peak > bound)
    sweepAt(buffers, alignment, steps, best);
  if (best.peak > bound)
    descent.go(worthDoing(steps, best, kMost), best);
  eject(buffers, alignment,
        worthDoing(steps / kMostSteps * kEjections *
                       std::min(int64_t(buffers.size()), kMostSteps),
                   best),
        best);
  return best;
}
