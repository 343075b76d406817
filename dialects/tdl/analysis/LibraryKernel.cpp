#include "dialects/tdl/analysis/LibraryKernel.h"

#include "dialects/tdl/analysis/Contraction.h"
#include "dialects/tdl/analysis/ConvolutionGradient.h"

using namespace smex;

bool analysis::hasLibraryKernel(const tdl::Lambda &lambda,
                                const std::vector<int64_t> &extents,
                                const Shapes &shapes) {
  return matchContraction(lambda) || matchConvolution(lambda, extents) ||
         matchConvolutionGradient(lambda, extents, shapes);
}
