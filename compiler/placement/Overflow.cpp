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
/// How many limits are tried for the message that none of the given size works.
constexpr int kLimitsTried = 3;

/// Moves until so many bytes are enough on each device; the least peak on the
/// way if they never are.
struct Attempt {
  bool fits = false;
  Relief relief;
  int64_t leastPeak = std::numeric_limits<int64_t>::max();
};

Attempt attempt(const Problem &problem, const Emulator &emulator,
                const Members &members, int64_t usable, Placement &placement) {
  std::vector<char> fixed(placement.size());
  for (size_t t = 0; t < fixed.size(); ++t)
    fixed[t] = !problem.graph.tasks[t].hasGpuKernel;
  Attempt attempt;
  Relief &relief = attempt.relief;
  int lastProgress = 0;
  while (true) {
    const Schedule schedule = emulator(problem, placement);
    const int64_t peak = memoryUse(problem, placement, schedule).most();
    if (double(peak) < kProgress * double(attempt.leastPeak))
      lastProgress = relief.rounds;
    attempt.leastPeak = std::min(attempt.leastPeak, peak);
    attempt.fits = peak <= usable;
    if (attempt.fits || problem.devices.count == 1 ||
        relief.rounds >= lastProgress + kPatience)
      return attempt;
    // Moves shift the schedule, and then a little is lacking again: later
    // rounds aim a little lower.
    const int64_t margin =
        int64_t(double(usable) * 0.002 * std::min(relief.rounds, 10));
    const int64_t moved =
        Relieving(problem, members, schedule, placement, fixed)
            .run(usable - margin);
    if (moved == 0)
      return attempt;
    relief.moved += moved;
    ++relief.rounds;
  }
}

} // namespace

Result<Relief> placement::addressOverflow(const Problem &problem,
                                          const Emulator &emulator,
                                          Placement &placement,
                                          bool namesLimit) {
  const auto usable = problem.devices.usableBytes();
  if (!usable)
    return Relief{};
  const Members members(problem.unions);
  const Placement before = placement;
  const Attempt made = attempt(problem, emulator, members, *usable, placement);
  if (made.fits)
    return made.relief;
  Error error =
      fail("no placement was found that needs at most ",
           *problem.devices.memoryBytes, " bytes of each GPU",
           problem.devices.spare > 0 ? ", with what is kept free of it" : "");
  if (!namesLimit) {
    placement = before;
    return error;
  }
  // With a limit of the least peak the way is another one: a limit is only
  // named if it does work. What there was at first needs no move.
  const int64_t first =
      memoryUse(problem, before, emulator(problem, before)).most();
  const int64_t least = made.leastPeak;
  int64_t works = first;
  for (int i = 0; i < kLimitsTried && least < first; ++i) {
    const int64_t limit = least + (first - least) / kLimitsTried * i;
    placement = before;
    if (attempt(problem, emulator, members, limit, placement).fits) {
      works = limit;
      break;
    }
  }
  placement = before;
  error.message += "; the smallest limit found to work is " +
                   std::to_string(problem.devices.limitFor(works)) + " bytes";
  return error;
}
