// An emulated scheduler that is closer to what a plan's workers do than
// TensorFlow's: what comes to a device comes one transfer after the other.
#ifndef SMEX_COMPILER_PLACEMENT_TRANSFERQUEUES_H
#define SMEX_COMPILER_PLACEMENT_TRANSFERQUEUES_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// What a device takes first of the tasks that are ready.
enum class ReadyOrder {
  FirstIn,     // what became ready first; then what comes first in the graph
  BottomLevel, // the longest way to the end of the placed graph
  Given,       // nothing but the next one in Problem::order, ready or not
};

/// The rules of Schedule.h, but for one: transfers to a device wait for each
/// other there, in the order in which what they bring was made; of what was
/// made at one time, in the order in which it was begun. Those to the host, and
/// those without bytes, which only say that something has ended, wait for none.
/// Schedule::list is the order in which tasks start, or the given one.
/// O((V + E) log V).
Schedule withTransferQueues(const Problem &problem, const Placement &placement,
                            ReadyOrder order);

/// Devices keep to this order: an OrderedEmulator. Schedule::list is the order
/// in which tasks start.
Schedule transferQueuesInOrder(const Problem &problem,
                               const Placement &placement,
                               const std::vector<int> &order);

/// The same, first in, first out: an Emulator.
inline Schedule transferQueues(const Problem &problem,
                               const Placement &placement) {
  return withTransferQueues(problem, placement, ReadyOrder::FirstIn);
}

} // namespace smex::placement

#endif
