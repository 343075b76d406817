// A program as a problem of Overlap.h: its instructions as tasks, its buffers
// as storage, and what else must keep its order.
#ifndef SMEX_COMPILER_MEMORY_OVERLAPPROBLEM_H
#define SMEX_COMPILER_MEMORY_OVERLAPPROBLEM_H

#include "compiler/memory/Overlap.h"
#include "dialects/exec/ir/Regions.h"

namespace smex::memory {

/// Times, in units of the time in which a byte crosses the fastest link. If a
/// plan runs on another machine, less is hidden, and nothing becomes wrong. The
/// pass's defaults are what a GPU and its links have in common over many years.
struct Rates {
  double memory, flops, launch;
  /// Per step: of a byte that it is the first to part from its worker.
  std::vector<int64_t> links;
  int64_t host; // of a byte between the device and the host
};

struct OverlapProblem {
  std::vector<Task> tasks; // the instructions, in order
  std::vector<Storage> storage;
  Room room; // of the memories, which are devices' or the host's
};

/// `capacities`: bytes of each worker, or none.
OverlapProblem overlapProblemOf(exec::ProgramOp program, exec::Regions &regions,
                                const Rates &rates,
                                llvm::ArrayRef<int64_t> capacities);

} // namespace smex::memory

#endif
