// Sums of sums, such as the gradient of a weight that each timestep reads.
#ifndef SMEX_COMPILER_FUSION_SUMSOFSUMS_H
#define SMEX_COMPILER_FUSION_SUMSOFSUMS_H

#include "dialects/smex/ir/Smex.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace smex::fusion {

using LambdaOf =
    llvm::function_ref<const tdl::Lambda &(semantic::ApplyOp apply)>;

/// How many sums over index variables of the same extents the application adds
/// up, by itself and by linear maps that it alone reads; 0 where it is no such
/// map, or reads something else. Composed into an operator that is none, it
/// could not be computed by each worker of its own terms
/// (compiler/partition/Sums.h).
size_t sumsIn(semantic::ApplyOp apply, LambdaOf lambdaOf);

} // namespace smex::fusion

#endif
