// What leaves a task for other devices: one transfer per device.
#ifndef SMEX_COMPILER_PLACEMENT_TRANSFERS_H
#define SMEX_COMPILER_PLACEMENT_TRANSFERS_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// The bytes that each device (the host too) gets of what one task makes: the
/// largest part that a task there reads. Made once and set to one task after
/// the other; each costs as many steps as it has edges.
class Transfers {
public:
  Transfers(const Problem &problem, const Placement &placement)
      : problem(problem), placement(placement),
        bytes(size_t(problem.devices.count) + 1, -1) {}

  /// The devices, the task's own not among them, in the order in which edges
  /// name them.
  const std::vector<int> &of(int task) {
    for (int device : devices)
      bytes[size_t(device)] = -1;
    devices.clear();
    const int own = placement[size_t(task)];
    for (int e : problem.adjacency.outOf(task)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      const int device = placement[size_t(edge.to)];
      if (device == own)
        continue;
      int64_t &most = bytes[size_t(device)];
      if (most < 0)
        devices.push_back(device);
      most = std::max(most, edge.bytes);
    }
    return devices;
  }
  /// To one of the devices that `of` returned last.
  int64_t bytesTo(int device) const { return bytes[size_t(device)]; }

private:
  const Problem &problem;
  const Placement &placement;
  std::vector<int64_t> bytes; // by device, -1: none
  std::vector<int> devices;
};

} // namespace smex::placement

#endif
