// What plain loops need beside a convolution's parts.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_PLAINPARTS_H
#define SMEX_RUNTIME_BACKENDS_CPU_PLAINPARTS_H

#include "runtime/backends/convolution/ConvolutionPart.h"

namespace smex::runtime {

/// Makes a box of a buffer zero.
void clearBox(const BufferView &view, const Box &box);

/// `parts` that threads take turns at, one image and a few channels each.
Result<std::vector<ConvolutionPart>> plainParts(const ConvolutionSite &site,
                                                const std::vector<Box> &pieces,
                                                int threads);

} // namespace smex::runtime

#endif
