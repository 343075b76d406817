// When tasks of a placement run: an emulated scheduler (thesis section 4.1.2,
// "Scheduler Emulator"). Which one is exchangeable (5.1), and memory and
// refinement ask for nothing but what stands here.
//
// All of them: a device runs one task at a time, and a task starts when its
// device is free and all that it reads has arrived. What a task makes leaves
// for another device when it has finished, once per device however many tasks
// read it there (the largest part that one of them reads), and takes
// Devices::transferSeconds; transfers do not wait for each other, but where
// TransferQueues.h says so. The host runs any number of tasks at once.
#ifndef SMEX_COMPILER_PLACEMENT_SCHEDULE_H
#define SMEX_COMPILER_PLACEMENT_SCHEDULE_H

#include "compiler/placement/Devices.h"
#include "compiler/placement/TaskGraph.h"

#include <functional>
#include <vector>

namespace smex::placement {

/// The device of each task: 0 .. K-1, or the host for those without a kernel
/// for GPUs.
using Placement = std::vector<int>;

struct Schedule {
  std::vector<double> start, finish; // seconds, by task
  std::vector<int> order;            // tasks by start; a device's in its order
  double makespan = 0;
  /// Transfers to a device wait for each other there (TransferQueues.h).
  bool transfersWait = false;
  /// Of a plan: all tasks, in the order of its one list of instructions, by
  /// which its memory is planned (Memory.h). Empty: memory is as tasks run.
  std::vector<int> list;
  /// Of a plan, by task: the place in its list behind which copies of what the
  /// task makes come, which is its own or a later one.
  std::vector<int> copied;
};

/// A graph with what is asked of it over and over.
struct Problem {
  /// Both have to outlive it.
  Problem(const TaskGraph &graph, const Devices &devices);
  Problem(const TaskGraph &graph, const Devices &&devices) = delete;

  const TaskGraph &graph;
  const Devices &devices;
  const Adjacency adjacency;
  const std::vector<int> order;  // topological
  const std::vector<int> unions; // of tasks that stay together
};

using Emulator =
    std::function<Schedule(const Problem &problem, const Placement &placement)>;

/// The same for devices that keep to an order of all tasks, in which every edge
/// goes forward.
using OrderedEmulator =
    std::function<Schedule(const Problem &problem, const Placement &placement,
                           const std::vector<int> &order)>;

/// TensorFlow's: each device takes what is ready first in, first out; of tasks
/// that become ready at the same time, the one that comes first in the graph.
/// O((V + E) log V).
Schedule firstInFirstOut(const Problem &problem, const Placement &placement);

/// Each device does its tasks in this order, as a plan does its instructions:
/// an OrderedEmulator. O((V + E) log V): linear but for the sorting of
/// Schedule::order.
Schedule inOrder(const Problem &problem, const Placement &placement,
                 const std::vector<int> &order);

/// The same in the order of the graph's list, or where that is not a
/// topological one, of Problem::order.
Schedule inGivenOrder(const Problem &problem, const Placement &placement);

/// The same as the list of a plan: an Emulator.
Schedule listedInGivenOrder(const Problem &problem, const Placement &placement);

/// Earliest start first: of all tasks whose predecessors are scheduled, the one
/// that can start first (thesis section 6.4.2); ties to the largest bottom
/// level of the placed graph, then to the first in the graph. O((V + E) log V).
Schedule earliestStartFirst(const Problem &problem, const Placement &placement);

/// The schedule keeps the rules above, to the bit, and leaves no device idle
/// that has a task to start next; a defect of an emulator if not. Works with no
/// code of theirs. O(V + E).
Status validate(const Problem &problem, const Placement &placement,
                const Schedule &schedule);

/// Devices in range, tasks without a GPU kernel and only those on the host,
/// unions on one device.
Status validate(const Problem &problem, const Placement &placement);

} // namespace smex::placement

#endif
