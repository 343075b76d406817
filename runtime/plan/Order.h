// What happens before what: the order that program order and waits imply, in
// linear passes. Full vector clocks would take workers^2 * instructions
// numbers; a check asks about one worker's memory at a time, and so needs one
// component.
#ifndef SMEX_RUNTIME_PLAN_ORDER_H
#define SMEX_RUNTIME_PLAN_ORDER_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

/// A worker's instruction.
struct Step {
  int worker, instruction;
};

class Order {
public:
  explicit Order(const Partitioned &partitioned);

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
  /// How many of `worker`'s instructions have completed whenever this one
  /// starts. Only if complete().
  std::vector<int> completedBefore(int worker) const;
  /// The first instruction of `worker` that starts only when this one has
  /// completed, or the number of instructions. Only if complete().
  std::vector<int> firstAfter(int worker) const;

private:
  const std::vector<Wait> &waits(size_t id) const {
    return partitioned.workers[id / count].instructions[id % count].waits;
  }
  /// Whether the worker's next instruction can start; if not, on whom it waits.
  const Wait *blockedBy(int worker) const;

  const Partitioned &partitioned;
  size_t count;                // instructions per worker
  std::vector<int> done;       // per worker, in the greedy run
  std::vector<uint32_t> order; // a topological order, as ids
};

} // namespace smex::plan

#endif
