// What a plan takes of a GPU's memory beside its buffers: scratch of libraries
// and of generated kernels, and staging for what GPUs exchange. The planner of
// memory sets it aside; a placement counts on it before there is a plan.
#ifndef SMEX_COMPILER_MEMORY_SCRATCH_H
#define SMEX_COMPILER_MEMORY_SCRATCH_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Lambda.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace smex::memory {

/// Of what is computed by libraries, or by generated kernels with the same
/// memory, the most scratch that is of use, and the least that makes it worth
/// its while; bytes.
struct Scratch {
  int64_t least = 0, most = 0;

  void include(const Scratch &other);
};

/// What a library wants for one operator of these extents. `bytesAt`: of all
/// that it reads and writes, on the worker that has most. `onGpus`: libraries
/// of GPUs compute, too.
Scratch libraryScratch(const tdl::Lambda &lambda,
                       const std::vector<int64_t> &extents,
                       const std::vector<std::vector<int64_t>> &operandShapes,
                       llvm::function_ref<int64_t()> bytesAt, bool onGpus);

/// What a processor's kernel wants for a sum of wide rows: of a worker's part
/// of it, with what the worker has of the operands.
Scratch rowScratch(const tdl::Lambda &lambda,
                   const std::vector<int64_t> &extents,
                   const std::vector<std::vector<int64_t>> &operandShapes);

/// Of an arena in which so many bytes are alive at once: a sixteenth of them,
/// so that it never counts for much, within the bounds. Nothing if no library
/// wants any.
int64_t workspaceFor(const Scratch &wanted, int64_t mostAlive);

/// Whether a kernel that is generated for GPUs may take scratch memory; for
/// most lambdas no.
bool mayTakeScratch(const tdl::Lambda &lambda);
/// What it takes for an operator's work at these indices.
int64_t kernelScratch(const tdl::Lambda &lambda, const Box &indices,
                      const std::vector<std::vector<int64_t>> &operandShapes);

/// Staging for an arena of so many bytes: a thirty-second of what it holds, and
/// at least what a reduction of one element needs, of which every other worker
/// has a term. None where the arena is empty.
int64_t stagingFor(int64_t arenaBytes, int64_t workers);
/// The arena with that at its end.
int64_t withStaging(int64_t arenaBytes, int64_t workers);

} // namespace smex::memory

#endif
