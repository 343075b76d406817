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
  // Buffers by the moment when they come, and by that when they go.
  const auto byMoment = [&](int Buffer::*moment) {
    std::vector<int> offsets(size_t(moments.count) + 2), list;
    for (const Buffer &buffer : lifetimes.buffers)
      ++offsets[size_t(buffer.*moment) + 2];
    for (size_t i = 2; i < offsets.size(); ++i)
      offsets[i] += offsets[i - 1];
    list.resize(lifetimes.buffers.size());
    for (size_t b = 0; b < lifetimes.buffers.size(); ++b)
      list[size_t(offsets[size_t(lifetimes.buffers[b].*moment) + 1]++)] =
          int(b);
    offsets.pop_back();
    return std::pair(std::move(offsets), std::move(list));
  };
  const auto [comeOffsets, coming] = byMoment(&Buffer::from);
  const auto [goOffsets, going] = byMoment(&Buffer::to);
  std::vector<double> seconds(size_t(moments.count));
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t) {
    seconds[size_t(moments.start[t])] = schedule.start[t];
    seconds[size_t(moments.copy[t])] = schedule.finish[t];
  }

  MemoryUse use;
  use.residualBytes = lifetimes.residualBytes;
  use.peakBytes = lifetimes.residualBytes;
  use.peakTime.assign(use.peakBytes.size(), 0);
  std::vector<int64_t> now = lifetimes.residualBytes;
  for (size_t moment = 0; moment < size_t(moments.count); ++moment) {
    for (int i = goOffsets[moment]; i < goOffsets[moment + 1]; ++i) {
      const Buffer &buffer = lifetimes.buffers[size_t(going[size_t(i)])];
      now[size_t(buffer.device)] -= buffer.bytes;
    }
    for (int i = comeOffsets[moment]; i < comeOffsets[moment + 1]; ++i) {
      const Buffer &buffer = lifetimes.buffers[size_t(coming[size_t(i)])];
      const size_t device = size_t(buffer.device);
      now[device] += buffer.bytes;
      if (now[device] > use.peakBytes[device]) {
        use.peakBytes[device] = now[device];
        use.peakTime[device] = seconds[moment];
      }
    }
  }
  return use;
}

bool placement::fits(const Devices &devices, const MemoryUse &use) {
  const auto usable = devices.usableBytes();
  return !usable || use.most() <= *usable;
}
