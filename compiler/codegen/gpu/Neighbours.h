// Which reads of a term take neighbours in memory for neighbouring values of a
// variable, so that a thread can have several of each in one access.
#ifndef SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H
#define SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <vector>

namespace smex::codegen {

/// The distinct reads in the term that do so along the variable.
std::vector<tdl::ExprRef> neighbourReads(const tdl::ExprRef &term,
                                         int variable);

/// Elements in an access of `bytes`, of all these reads and of something with
/// `written` bytes each; 1 where that does not pay: a read that is reached only
/// where coordinates allow it, or that goes anywhere.
int64_t neighboursPerAccess(const tdl::ExprRef &term, int variable,
                            int64_t written, int64_t bytes);

} // namespace smex::codegen

#endif
