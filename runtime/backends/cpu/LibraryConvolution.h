// Convolutions by the library. Its fast kernels want layouts of their own, so a
// tile of the result is computed at a time: its data is brought into the
// library's layout, in the workspace, and its result back into the buffer's.
// One thread does a tile; the cut into tiles depends on sizes only. The filter
// is brought into the library's layout once and stays so, in place, if nobody
// else reads it; else it is packed anew in every run, in the workspace.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_LIBRARYCONVOLUTION_H
#define SMEX_RUNTIME_BACKENDS_CPU_LIBRARYCONVOLUTION_H

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cpu/BoundKernel.h"

namespace smex::runtime {

/// Null if the library has no fast kernel for it, or needs more memory than the
/// workspace has. `pieces` are those of cutGroups.
Result<BoundKernelPtr> bindLibraryConvolution(const ConvolutionSite &site,
                                              const std::vector<Box> &pieces,
                                              Workspace workspace,
                                              const ThreadGroup &threads);

} // namespace smex::runtime

#endif
