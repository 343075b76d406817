// The arenas of all workers that share this machine's memory.
#ifndef SMEX_RUNTIME_BACKENDS_HOST_ARENAS_H
#define SMEX_RUNTIME_BACKENDS_HOST_ARENAS_H

#include "runtime/backends/host/Arena.h"
#include "runtime/plan/Plan.h"

#include <vector>

namespace smex::runtime {

/// Where the host's arena begins in a worker's memory here, in bytes: behind
/// the device's, at a multiple of 64, as buffers do.
int64_t hostBegin(const plan::Worker &worker);

/// Where a worker's buffer begins in its memory here, in bytes: the device's
/// arena is followed by the one of the host.
int64_t placeOf(const plan::Partitioned &partitioned, int worker, int buffer);

/// Memory for each of these workers, in their order, with room for both arenas.
/// Pages become real when they are touched, far too late for a message: so the
/// sum of all arenas is compared with what is free first, beside the stacks of
/// so many threads. Fault::Environment: there is not enough.
Result<std::vector<Arena>> reserveArenas(const plan::Partitioned &partitioned,
                                         const std::vector<int> &workers,
                                         int threads);

} // namespace smex::runtime

#endif
