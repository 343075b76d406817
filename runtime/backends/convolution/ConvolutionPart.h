// From a worker's part of a convolution's index variables, or of its
// gradients', to a convolution on views of its buffers. Any box of indices is a
// convolution again, with pads of its own, so that halos, uneven splits,
// partial reductions and tiles for threads are all the same thing.
#ifndef SMEX_RUNTIME_BACKENDS_CONVOLUTION_CONVOLUTIONPART_H
#define SMEX_RUNTIME_BACKENDS_CONVOLUTION_CONVOLUTIONPART_H

#include "kernels/cpu/Contract.h"
#include "runtime/backends/convolution/BufferView.h"
#include "runtime/plan/ConvolutionRoles.h"

namespace smex::runtime {

/// Which of the three tensors of a convolution is computed: the data's and the
/// filter's stand for gradients.
enum class Wanted { Result, Data, Filter };

/// The buffers and numbers of one convolution instruction. Index boxes are in
/// the order n, m, o.., c, k.. (m of all groups, c within one); where the data
/// is wanted, n, c, x.., m, k.., o.. (c of all groups, m within one).
struct ConvolutionSite {
  plan::ConvolutionInfo info;
  DType type; // of the operands
  BufferView result, data, filter;
  Wanted wanted = Wanted::Result;

  size_t spatialRank() const { return info.strides.size(); }
  size_t indexOfC() const { return 2 + spatialRank(); } // of m for the data
  int64_t mPerGroup() const { return result.type.shape[1] / info.groups; }
  int64_t cPerGroup() const { return data.type.shape[1] / info.groups; }
  /// Of index 1 of a box, and of the other channel index.
  int64_t channelsPerGroup() const {
    return wanted == Wanted::Data ? cPerGroup() : mPerGroup();
  }
  int64_t othersPerGroup() const {
    return wanted == Wanted::Data ? mPerGroup() : cPerGroup();
  }
  /// Sums of 16-bit floats may be wanted in f32.
  DType wantedType() const {
    const BufferView &view = wanted == Wanted::Result ? result
                             : wanted == Wanted::Data ? data
                                                      : filter;
    return view.type.dtype;
  }
  /// Whether the sizes make sense together.
  bool sound() const;
};

/// A convolution, and where its views start.
struct ConvolutionPart {
  cpu::ConvolutionProblem problem;
  std::byte *result, *data, *filter;
  Box dataBox; // what of the data the terms reach
  /// Nothing to sum: what is wanted is zero.
  bool isZero = false;
  /// Gradients: what of the wanted buffer is to be made zero first, as no term
  /// reaches some of it; of rank 0: nothing.
  Box clear;
};

/// Cuts a box so that each piece is within one group, or made of whole groups
/// with all their channels: only those are convolutions with uniform strides.
std::vector<Box> cutGroups(const ConvolutionSite &site, const Box &indices);

/// A piece of what cutGroups gave, or a box within it that keeps this property.
/// An error if a buffer does not hold what is read or written.
Result<ConvolutionPart> partOf(const ConvolutionSite &site, const Box &indices);

/// The site of a kernel of one of a convolution's kinds, and a worker's part of
/// its indices in the site's order. Nothing where the kernel and the buffers do
/// not make sense together, or where they have no spatial dimension.
struct SitedPart {
  ConvolutionSite site;
  Box indices;
};
std::optional<SitedPart> siteOf(const plan::Kernel &kernel,
                                const tdl::Lambda &lambda, DType type,
                                const BufferView &result,
                                const std::vector<BufferView> &operands,
                                const Box &indices);

} // namespace smex::runtime

#endif
