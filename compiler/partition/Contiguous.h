// Whether an interval that a program computes is all read, or is the hull of
// scattered points: what a lower bound may count on (LowerBound.h).
#ifndef SMEX_COMPILER_PARTITION_CONTIGUOUS_H
#define SMEX_COMPILER_PARTITION_CONTIGUOUS_H

#include "dialects/tdl/analysis/Access.h"

namespace smex::partition {

/// True only if every element of `program.evaluate(indices, extent)` is read
/// for some single point of `indices`. x[2 * i + k] is contiguous over k in
/// [0, 3), with gaps over k in [0, 1).
bool isContiguous(const analysis::IntervalProgram &program, const Box &indices);

/// The index variables that a program mentions, each once, ascending.
std::vector<int> indicesOf(const analysis::IntervalProgram &program);

} // namespace smex::partition

#endif
