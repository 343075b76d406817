// The fewest waits that order the same. Plain structs without IR.
#ifndef SMEX_COMPILER_MEMORY_LEASTWAITS_H
#define SMEX_COMPILER_MEMORY_LEASTWAITS_H

#include "dialects/support/Queue.h"
#include "dialects/support/Wait.h"

namespace smex::memory {

/// What orders a list of instructions, for all workers at once.
struct Schedule {
  Ways ways;
  std::vector<Queue> queues; // per instruction
  /// Sets of workers, a flag each, and per instruction the set that does it.
  std::vector<std::vector<bool>> doers;
  std::vector<int> doersOf;
  /// Per instruction; of earlier ones.
  std::vector<std::vector<Wait>> waits;
};

/// Drops waits that the order of the queues and other waits imply. Of what is
/// left, none can be spared where all workers do all instructions. What is
/// found is what can be said of groups of workers: as much as for each worker
/// alone, if these all do the same; and almost as much, if each instruction is
/// one worker's.
std::vector<std::vector<Wait>> leastWaits(const Schedule &schedule);

} // namespace smex::memory

#endif
