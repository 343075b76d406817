// How a convolution is cut into the pieces that threads take turns at.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_CONVOLUTIONTILES_H
#define SMEX_RUNTIME_BACKENDS_CPU_CONVOLUTIONTILES_H

#include "runtime/backends/convolution/ConvolutionPart.h"

namespace smex::runtime {

/// Tiles of a piece of cutGroups, each with about `bytes` of data and result or
/// less. They depend on sizes only, not on the number of threads.
std::vector<Box> cutTiles(const ConvolutionSite &site, const Box &piece,
                          int64_t bytes);

/// Cuts one side of each box into `ways` parts that start at multiples of
/// `unit`.
std::vector<Box> cutSide(const std::vector<Box> &boxes, size_t side,
                         int64_t ways, int64_t unit);

} // namespace smex::runtime

#endif
