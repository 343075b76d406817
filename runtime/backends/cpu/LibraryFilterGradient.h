// Gradients of convolutions by the filter, by the library. Its layouts live in
// the plan's workspace.
//
// The filter is cut into tiles of channels, and what is summed (images and rows
// of the result) into groups where that is needed for all threads to have work.
// One thread computes one tile of one group, chunk by chunk, and adds the
// chunks up; then the groups are added up. All cuts depend on sizes only, so
// that the result does not depend on how many threads there are.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_LIBRARYFILTERGRADIENT_H
#define SMEX_RUNTIME_BACKENDS_CPU_LIBRARYFILTERGRADIENT_H

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cpu/BoundKernel.h"

namespace smex::runtime {

/// Null if the library has no fast kernel, or the workspace is not enough.
/// `pieces` are those of cutGroups.
Result<BoundKernelPtr> bindLibraryFilterGradient(const ConvolutionSite &site,
                                                 const std::vector<Box> &pieces,
                                                 Workspace workspace,
                                                 const ThreadGroup &threads);

} // namespace smex::runtime

#endif
