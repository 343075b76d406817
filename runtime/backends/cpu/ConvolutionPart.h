// From a worker's part of a convolution's index variables to a convolution on
// views of its buffers. Any box of indices is a convolution again, with pads of
// its own, so that halos, uneven splits, partial reductions and tiles for
// threads are all the same thing.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_CONVOLUTIONPART_H
#define SMEX_RUNTIME_BACKENDS_CPU_CONVOLUTIONPART_H

#include "kernels/cpu/Contract.h"
#include "runtime/backends/cpu/BoundKernel.h"

namespace smex::runtime {

/// The buffers and numbers of one convolution instruction. Index boxes are in
/// the order of the lambda: n, m, o.., c, k..
struct ConvolutionSite {
  plan::ConvolutionInfo info;
  DType type;
  BufferView result, data, filter;

  size_t spatialRank() const { return info.strides.size(); }
  size_t indexOfC() const { return 2 + spatialRank(); }
  int64_t mPerGroup() const { return result.type.shape[1] / info.groups; }
  int64_t cPerGroup() const { return data.type.shape[1] / info.groups; }
};

/// A convolution, and where its views start.
struct ConvolutionPart {
  cpu::ConvolutionProblem problem; // nothing to sum: c = 0, the result is zero
  std::byte *result;
  const std::byte *data, *filter;
};

/// Cuts a box so that each piece is within one group, or made of whole groups
/// with all their channels: only those are convolutions with uniform strides.
std::vector<Box> cutGroups(const ConvolutionSite &site, const Box &indices);

/// A piece of what cutGroups gave, or a box within it that keeps this property.
/// An error if a buffer does not hold what is read or written.
Result<ConvolutionPart> partOf(const ConvolutionSite &site, const Box &indices);

} // namespace smex::runtime

#endif
