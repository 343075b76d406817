#include "compiler/placement/Memory.h"

#include "compiler/placement/Lifetimes.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

int64_t MemoryUse::most() const {
  return peakBytes.empty()
             ? 0
             : *std::max_element(peakBytes.begin(), peakBytes.end());
}

MemoryUse placement::memoryUse(const Problem &problem,
                               const Placement &placement,
                               const Schedule &schedule) {
  const Moments moments(problem, schedule);
  const Lifetimes lifetimes(problem, placement, moments);
  const ByMoment coming(lifetimes.buffers, &Buffer::from, moments.count);
  const ByMoment going(lifetimes.buffers, &Buffer::to, moments.count + 1);
  std::vector<double> seconds(size_t(moments.count));
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t) {
    seconds[size_t(moments.start[t])] = schedule.start[t];
    seconds[size_t(moments.copy[t])] = schedule.finish[t];
    if (moments.isListed())
      seconds[size_t(moments.fetch[t])] = schedule.start[t];
  }

  MemoryUse use;
  use.residualBytes = lifetimes.residualBytes;
  use.peakBytes = lifetimes.residualBytes;
  use.peakTime.assign(use.peakBytes.size(), 0);
  std::vector<int64_t> now = lifetimes.residualBytes;
  for (int moment = 0; moment < moments.count; ++moment) {
    for (int b : going.at(moment)) {
      const Buffer &buffer = lifetimes.buffers[size_t(b)];
      now[size_t(buffer.device)] -= buffer.bytes;
    }
    for (int b : coming.at(moment)) {
      const Buffer &buffer = lifetimes.buffers[size_t(b)];
      const size_t device = size_t(buffer.device);
      now[device] += buffer.bytes;
      if (now[device] > use.peakBytes[device]) {
        use.peakBytes[device] = now[device];
        use.peakTime[device] = seconds[size_t(moment)];
      }
    }
  }
  return use;
}

bool placement::fits(const Devices &devices, const MemoryUse &use) {
  const auto usable = devices.usableBytes();
  return !usable || use.most() <= *usable;
}
