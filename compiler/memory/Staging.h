// Staging: memory of each worker for what it exchanges with others, where GPUs
// do not reach each other's memory. There, pieces that are no run of bytes are
// packed, and terms of a reduction are brought together before they are
// combined. What does not fit goes in several rounds
// (runtime/backends/cuda/nccl/Rounds.h), so that little is enough.
#ifndef SMEX_COMPILER_MEMORY_STAGING_H
#define SMEX_COMPILER_MEMORY_STAGING_H

#include "compiler/memory/Arena.h"

namespace smex::memory {

/// Adds it to the end of each worker's arena; returns the bytes per worker, or
/// nothing where no exchange needs any.
llvm::SmallVector<int64_t> takeStaging(exec::ProgramOp program,
                                       exec::Regions &regions, Arena &arena);

} // namespace smex::memory

#endif
