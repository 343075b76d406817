// Which reads of a map take neighbours in memory for neighbours in the result,
// so that a thread can have several of each in one access.
#ifndef SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H
#define SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <vector>

namespace smex::codegen {

/// The distinct reads in the map's term that do so along its last variable.
std::vector<tdl::ExprRef> neighbourReads(const tdl::Lambda &lambda,
                                         const tdl::ExprRef &term);

/// Elements in an access of `bytes`, of the result and all these reads; 1 where
/// that does not pay: a read that is reached only where coordinates allow it,
/// or that goes anywhere.
int64_t neighboursPerAccess(const tdl::Lambda &lambda, const tdl::ExprRef &term,
                            int64_t bytes);

} // namespace smex::codegen

#endif
