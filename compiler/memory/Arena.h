// Where each buffer of a program has its place in the workers' arenas: each
// worker has one on its device, and, where buffers are there, one on the host.
#ifndef SMEX_COMPILER_MEMORY_ARENA_H
#define SMEX_COMPILER_MEMORY_ARENA_H

#include "compiler/memory/Planner.h"
#include "dialects/exec/ir/Regions.h"

namespace smex::memory {

struct Arena {
  std::vector<exec::BufferOp> buffers;
  /// Per buffer and worker.
  std::vector<llvm::SmallVector<int64_t>> offsets;
  llvm::SmallVector<int64_t> bytes; // per worker
  /// Per worker, in the host's memory; none if no buffer is there.
  llvm::SmallVector<int64_t> hostBytes;
  /// The offset of the libraries' scratch per worker, and its bytes last.
  llvm::SmallVector<int64_t> workspace;
};

/// `workspaceBytes`: -1: by what the program computes. `onGpus`: libraries of
/// GPUs compute, too. `packingSteps`: see pack(); none is fast, to compare
/// orders of a program. The scratch is at least what generated kernels take
/// where `kernelsOnGpus`.
Arena planArena(exec::ProgramOp program, exec::Regions &regions,
                int64_t workspaceBytes = -1, bool onGpus = false,
                int64_t packingSteps = kPackingSteps,
                bool kernelsOnGpus = false);

} // namespace smex::memory

#endif
