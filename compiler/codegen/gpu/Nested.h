// Products with products inside (dialects/tdl/analysis/NestedProduct.h) on a
// GPU: which of them there is code for.
#ifndef SMEX_COMPILER_CODEGEN_GPU_NESTED_H
#define SMEX_COMPILER_CODEGEN_GPU_NESTED_H

#include "dialects/tdl/analysis/NestedProduct.h"

namespace smex::codegen {

/// If shared memory is enough for tiles of so many rows, terms and columns.
std::optional<analysis::NestedProduct> findNested(const tdl::Lambda &lambda,
                                                  int64_t tile);

} // namespace smex::codegen

#endif
