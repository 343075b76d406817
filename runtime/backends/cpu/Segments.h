// Reductions over segments, `where offsets[v] <= k and k < offsets[v + 1]`, cut
// for threads: a part should have as many terms as the next one, not as many
// results. A graph's hub has thousands of edges, most nodes a few.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_SEGMENTS_H
#define SMEX_RUNTIME_BACKENDS_CPU_SEGMENTS_H

#include "runtime/backends/cpu/BoundKernel.h"

#include <optional>

namespace smex::runtime {

struct Segments {
  size_t variable; // v
  size_t operand;  // offsets
};

/// Nothing if the lambda is no such reduction.
std::optional<Segments> segmentsOf(const tdl::Lambda &lambda);

/// The first results of `ways` parts of about the same work, and the end of the
/// last: ways + 1 numbers in ascending order, from results.lo to results.hi,
/// whatever the offsets are. A result counts as much as a few terms.
std::vector<int64_t> balancedParts(const BufferView &offsets, Interval results,
                                   int64_t ways);

} // namespace smex::runtime

#endif
