// What happens before what: the order that queues and waits imply, in linear
// passes. Full vector clocks would take workers^2 * instructions numbers; a
// check asks about one queue at a time, and so needs one component.
#ifndef SMEX_RUNTIME_PLAN_ORDER_H
#define SMEX_RUNTIME_PLAN_ORDER_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

/// A worker's instruction.
struct Step {
  int worker, instruction;
};

/// What a back end has per worker: one queue, which does the list as it is, or
/// one for computing and one for transfers. Two order less than one: what is
/// right with two is right with one, if that comes to an end.
enum class Queues { One, Two };

class Order {
public:
  Order(const Partitioned &partitioned, Queues queues);

  /// Instructions that wait for one another, one entry per cycle; in each,
  /// every step can't start before the next one, and the last not before the
  /// first, has completed. Empty: all instructions are done in the end.
  std::vector<std::vector<Step>> cycles() const;
  bool complete() const {
    return order.size() == partitioned.workers.size() * count;
  }

  /// The number of an instruction in the two vectors below.
  size_t id(int worker, int instruction) const {
    return size_t(worker) * count + size_t(instruction);
  }
  /// Of every instruction a number: those of `worker`'s queue with smaller ones
  /// than this have completed whenever it starts. Only if complete().
  std::vector<int> completedBefore(int worker, Queue queue) const;
  /// The first instruction of `worker`'s queue that starts only when this one
  /// has completed, or the number of instructions. Only if complete().
  std::vector<int> firstAfter(int worker, Queue queue) const;

private:
  /// A queue of a worker, numbered worker * lanes per worker + queue.
  size_t lane(int worker, int instruction) const {
    return size_t(worker) * lists.size() + size_t(laneOf[size_t(instruction)]);
  }
  const std::vector<Wait> &waits(size_t id) const {
    return partitioned.workers[id / count].instructions[id % count].waits;
  }
  /// A lane's first instruction that is not done; `count` if all are.
  int next(size_t lane) const;
  /// Whether the lane's next instruction can start; if not, on what it waits.
  const Wait *blockedBy(size_t lane) const;
  int laneOfQueue(Queue queue) const {
    return lists.size() == 1 ? 0 : int(queue);
  }

  const Partitioned &partitioned;
  size_t count; // instructions per worker
  // A program has the same queues on all workers.
  std::vector<std::vector<int>> lists; // per queue: its instructions
  std::vector<int> laneOf, place; // per instruction: its queue, where there
  std::vector<int> done;          // per lane, in the greedy run
  std::vector<uint32_t> order;    // a topological order, as ids
};

} // namespace smex::plan

#endif
