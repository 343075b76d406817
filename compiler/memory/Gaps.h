// Where an arena is not full, what may be missing.
//
// If buffers filled an arena but for a few pieces, the bytes alive fall by the
// size of a piece when it would start, and rise by as much when it would end.
// A fall with a rise of the same size, and no other one open in between, is a
// gap: as good as a buffer, since with it no more are alive than at the peak.
#ifndef SMEX_COMPILER_MEMORY_GAPS_H
#define SMEX_COMPILER_MEMORY_GAPS_H

#include "compiler/memory/Planner.h"

namespace smex::memory {

/// Rectangles that are missing, ordered by their ends; not all of them. Sizes
/// are multiples of the alignment.
std::vector<Allocation> gaps(const std::vector<Allocation> &buffers,
                             int64_t alignment);

} // namespace smex::memory

#endif
