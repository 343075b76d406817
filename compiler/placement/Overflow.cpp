#include "compiler/placement/Overflow.h"

#include "compiler/placement/Relieving.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::placement;

namespace {

/// After so many rounds in which the largest peak has not become smaller by
/// this factor, it is given up: what is lacking then lacks on all devices.
constexpr int kPatience = 3;
constexpr double kProgress = 0.9995;
constexpr int64_t kFewRounds = 6; // of a graph of any size

} // namespace

Relief placement::addressOverflow(const Problem &problem,
                                  const Emulator &emulator,
                                  Placement &placement) {
  Relief relief;
  const auto usable = problem.devices.usableBytes();
  if (!usable)
    return relief;
  const Members members(problem.unions);
  std::vector<char> fixed(placement.size());
  for (size_t t = 0; t < fixed.size(); ++t)
    fixed[t] = !problem.graph.tasks[t].hasGpuKernel;
  const int mostRounds = mostRoundsFor(placement.size(), kFewRounds);
  Placement nearest;
  int64_t leastPeak = std::numeric_limits<int64_t>::max(), movedThen = 0;
  int lastProgress = 0;
  while (true) {
    const Schedule schedule = emulator(problem, placement);
    const int64_t peak = memoryUse(problem, placement, schedule).most();
    if (peak <= *usable)
      return relief;
    if (double(peak) < kProgress * double(leastPeak))
      lastProgress = relief.rounds;
    if (peak < leastPeak) {
      leastPeak = peak, movedThen = relief.moved;
      nearest = placement;
    }
    if (problem.devices.count == 1 || relief.rounds >= mostRounds ||
        relief.rounds >= lastProgress + kPatience)
      break;
    // Moves shift the schedule, and then a little is lacking again: later
    // rounds aim a little lower.
    const int64_t margin =
        int64_t(double(*usable) * 0.002 * std::min(relief.rounds, 10));
    const int64_t moved =
        Relieving(problem, members, schedule, placement, fixed)
            .run(*usable - margin);
    if (moved == 0)
      break;
    relief.moved += moved;
    ++relief.rounds;
  }
  placement = std::move(nearest);
  relief.moved = movedThen;
  relief.neededBytes = leastPeak;
  return relief;
}
