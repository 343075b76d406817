// Products with products inside (dialects/tdl/analysis/NestedProduct.h) on a
// GPU: which of them there is code for.
#ifndef SMEX_COMPILER_CODEGEN_GPU_NESTED_H
#define SMEX_COMPILER_CODEGEN_GPU_NESTED_H

#include "dialects/tdl/analysis/NestedProduct.h"

namespace smex::codegen {

/// Of a lambda as it is computed (tdl::accumulated), which shared memory and
/// registers are enough for.
std::optional<analysis::NestedProduct> findNested(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
