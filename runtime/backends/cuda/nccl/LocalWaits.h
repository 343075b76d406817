// What a worker's instructions wait for where no worker can wait for another
// one: transfers are exchanges, in which all whose memory is read or written
// take part, and which put data from one memory into another by themselves.
//
// The idea. In a plan, a fetch is done by its reader, who waits for the owner's
// producer; and the owner waits for the reader's fetch before it overwrites
// what was read. In an exchange the owner has a part of its own: it sends. So
// its exchange waits for its own producer, and what overwrites waits for its
// own exchange. Which of them is what the plan's order says: whatever it has
// completed, of a worker's instructions, before a fetch that reads this
// worker's memory, has to be completed before the worker's part of that
// exchange; and whatever comes, on the worker, after such a fetch, comes after
// the worker's part of it.
//
// Each of these waits is for an earlier instruction of the list, and all
// exchanges of a worker are done in the list's order, so whoever follows the
// list comes to the end: nothing can deadlock.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_LOCALWAITS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_LOCALWAITS_H

#include "runtime/plan/Order.h"

namespace smex::nccl {

/// An instruction of the worker itself, on another one of its queues; one of
/// the queue of transfers is an exchange that it has a part in.
struct LocalWait {
  Queue queue;
  int instruction;

  bool operator==(const LocalWait &other) const {
    return queue == other.queue && instruction == other.instruction;
  }
};

/// For some workers and each instruction, who else reads the worker's memory in
/// it, in ascending order.
class Readers {
public:
  Readers(const plan::Partitioned &partitioned,
          const std::vector<int> &ofWorkers);
  const std::vector<int> &of(int worker, int instruction) const {
    const auto &all = readers[size_t(instruction)];
    return all.empty() ? none : all[size_t(place[size_t(worker)])];
  }

private:
  std::vector<int> place; // per worker: its place among those asked for
  std::vector<std::vector<std::vector<int>>> readers;
  std::vector<int> none;
};

/// Whether the worker has a part in the instruction: it does it, or others read
/// its memory.
bool hasPart(const plan::Partitioned &partitioned, const Readers &readers,
             int worker, int instruction);

/// For each instruction, what the worker's part of it waits for; nothing where
/// it has none. A queue is in order, so there is one wait per queue at most,
/// and none that an earlier instruction of the same queue has waited for
/// already.
std::vector<std::vector<LocalWait>>
localWaits(const plan::Partitioned &partitioned, const plan::Order &order,
           const Readers &readers, int worker);

} // namespace smex::nccl

#endif
