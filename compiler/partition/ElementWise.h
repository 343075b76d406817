// Which operators compute each element from the same elements of tensors of the
// same shape: decided from their accesses.
#ifndef SMEX_COMPILER_PARTITION_ELEMENTWISE_H
#define SMEX_COMPILER_PARTITION_ELEMENTWISE_H

#include "compiler/partition/Graph.h"

namespace smex::partition {

/// The operand is read at the result's own index.
bool isElementWise(const OperatorGraph &graph, const Operator &op,
                   const Operand &operand);

/// No reduction, and some operand is read so; the others are smaller ones that
/// are broadcast.
bool isElementWise(const OperatorGraph &graph, const Operator &op);

} // namespace smex::partition

#endif
