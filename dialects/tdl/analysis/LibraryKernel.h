// Is a lambda what a library computes: a matrix product, a convolution, or the
// gradient of one?
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_LIBRARYKERNEL_H
#define SMEX_DIALECTS_TDL_ANALYSIS_LIBRARYKERNEL_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/lambda/Lambda.h"

namespace smex::analysis {

/// With the extents of its index variables and the shapes of its operands.
bool hasLibraryKernel(const tdl::Lambda &lambda,
                      const std::vector<int64_t> &extents,
                      const Shapes &shapes);

} // namespace smex::analysis

#endif
