// What happens before what: the order that queues and waits imply, in linear
// passes. Full vector clocks would take workers^2 * instructions numbers; a
// check asks about one queue at a time, and so needs one component.
//
// Instructions wait for earlier ones only (Validate.h), so the list is an order
// in which all of them can be done: whoever follows it comes to the end.
#ifndef SMEX_RUNTIME_PLAN_ORDER_H
#define SMEX_RUNTIME_PLAN_ORDER_H

#include "runtime/plan/Plan.h"

#include <algorithm>

namespace smex::plan {

/// A worker's instruction.
struct WorkerInstruction {
  int worker, instruction;
};

class Order {
public:
  enum class View {
    /// The order of what workers do.
    Exact,
    /// An order that looks the same from all workers that do the same
    /// instructions: of the others it is not known which ones they do, unless
    /// all workers do them, or all who do another one. What is ordered so, of
    /// what is done at all, is ordered in the exact view, too.
    Symmetric
  };
  explicit Order(const Partitioned &partitioned, View view = View::Exact);

  bool does(int worker, int instruction) const {
    return set(instruction).flags[size_t(worker)];
  }
  /// The number, in the two vectors below, of an instruction that the worker
  /// does.
  size_t id(int worker, int instruction) const {
    return first[size_t(instruction)] +
           size_t(set(instruction).place[size_t(worker)]);
  }
  /// Of every instruction a number: those of `worker`'s queue with smaller ones
  /// than this have completed whenever it starts.
  std::vector<int> completedBefore(int worker, Queue queue) const;
  /// The first instruction of `worker`'s queue that starts only when this one
  /// has completed, or the number of instructions.
  std::vector<int> firstAfter(int worker, Queue queue) const;

private:
  /// Workers that do the same instructions.
  struct Doers {
    std::vector<bool> flags;  // per worker
    std::vector<int> workers; // that do, or may do, the instruction, in order
    std::vector<int> place;   // per worker: where it is among these, or -1
    bool areAll = false;
    std::vector<int> supersets; // which sets of doers have all of these
  };
  const Doers &set(int instruction) const {
    return doers[size_t(doersOf[size_t(instruction)])];
  }
  /// Whether the worker does the instruction for sure, for one who asks about
  /// worker `asked`: others may be any that are like it.
  bool surely(int worker, int instruction, int asked) const {
    return view == View::Exact || set(instruction).areAll ||
           (worker == asked && does(worker, instruction));
  }
  /// Whether whoever does the one does the other.
  bool implies(int one, int other) const {
    const std::vector<int> &all = set(one).supersets;
    return std::find(all.begin(), all.end(), doersOf[size_t(other)]) !=
           all.end();
  }
  template <typename Better>
  void join(const std::vector<std::vector<int>> &lanes, int instruction,
            std::vector<int> &values, Better better) const;
  void leave(std::vector<std::vector<int>> &lanes, int instruction, int asked,
             const std::vector<int> &values) const;
  Queue queueAt(int instruction) const {
    return queueOf(partitioned.program.instructions[size_t(instruction)].op);
  }
  template <typename Better>
  void spread(std::vector<int> &values, StepSet steps, Better better) const;

  const Partitioned &partitioned;
  int count; // instructions
  std::vector<Doers> doers;
  std::vector<int> doersOf; // per instruction
  View view;
  std::vector<size_t> first; // per instruction: the number of its first doer
  size_t size = 0;
};

} // namespace smex::plan

#endif
