// Where each buffer of a program has its place in the workers' arenas.
#ifndef SMEX_COMPILER_MEMORY_ARENA_H
#define SMEX_COMPILER_MEMORY_ARENA_H

#include "dialects/exec/ir/Regions.h"

namespace smex::memory {

struct Arena {
  std::vector<exec::BufferOp> buffers;
  /// Per buffer and worker.
  std::vector<llvm::SmallVector<int64_t>> offsets;
  llvm::SmallVector<int64_t> bytes; // per worker
  /// The offset of the libraries' scratch per worker, and its bytes last.
  llvm::SmallVector<int64_t> workspace;
};

/// `workspaceBytes`: -1: by what the program computes. `greedily`: fast, to
/// compare orders of a program.
Arena planArena(exec::ProgramOp program, exec::Regions &regions,
                int64_t workspaceBytes = -1, bool greedily = false);

} // namespace smex::memory

#endif
