// A sum over a segment that data bounds: the edges of a node, in
// `Sum(lambda e: x[src[e], f] where row[v] <= e and e < row[v + 1])`.
#ifndef SMEX_COMPILER_CODEGEN_GPU_SEGMENT_H
#define SMEX_COMPILER_CODEGEN_GPU_SEGMENT_H

#include "compiler/codegen/expression/Conditions.h"

#include <optional>

namespace smex::codegen {

struct Segment {
  int output;       // v
  int reduction;    // e
  Cut first, after; // of e, at points that data says for v alone
};

/// Nothing where no variable of the result has such bounds.
std::optional<Segment> findSegment(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
