// What workers need of an operand.
#ifndef SMEX_COMPILER_PARTITION_NEEDED_H
#define SMEX_COMPILER_PARTITION_NEEDED_H

#include "compiler/partition/Fetches.h"
#include "compiler/partition/Graph.h"

namespace smex::partition {

/// Whoever does `indices` of an operator, of an operand of this shape. Rows
/// belong to the operand.
inline Needed neededOf(const Operand &operand, const Box &indices,
                       const std::vector<int64_t> &shape) {
  return {operand.access.region(indices, shape),
          operand.rows ? &operand.rows->of(indices) : nullptr};
}

} // namespace smex::partition

#endif
