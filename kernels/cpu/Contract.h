// Plain loops for what no library call fits: matrix products and convolutions
// of any element type and any strides. Slow next to a library, never wrong.
#ifndef SMEX_KERNELS_CPU_CONTRACT_H
#define SMEX_KERNELS_CPU_CONTRACT_H

#include "dialects/support/Box.h"
#include "dialects/support/DType.h"

#include <cstddef>
#include <vector>

namespace smex::cpu {

/// One index variable of result[..] = Sum(left[..] * right[..]): its extent,
/// and how far each array moves with it, in elements; 0 where it does not
/// occur. An index that the result does not have is summed over.
struct ContractionIndex {
  int64_t extent = 1;
  bool summed = false;
  int64_t result = 0, left = 0, right = 0;
};

/// The pointers are those of the first element.
void contract(DType type, const std::vector<ContractionIndex> &indices,
              std::byte *result, const std::byte *left, const std::byte *right);

/// A convolution on views of buffers. Positions outside the data's view are
/// padding, which is zero. Strides in elements.
struct ConvolutionProblem {
  int64_t batch = 1, groups = 1;
  int64_t m = 1, c = 1; // output and input channels per group
  struct Spatial {
    int64_t out = 1, kernel = 1, in = 1;
    int64_t stride = 1, dilation = 1;
    int64_t padLow = 0; // in = out*stride + kernel*dilation - padLow
    int64_t resultStride = 1, dataStride = 1, filterStride = 1;
    int64_t padHigh() const {
      return (out - 1) * stride + (kernel - 1) * dilation + 1 - padLow - in;
    }
    /// The range of output positions for which kernel position k reads data,
    /// not padding.
    Interval inside(int64_t k) const;
  };
  std::vector<Spatial> spatial;
  struct Strides {
    int64_t batch = 0, group = 0, m = 0, c = 0;
  };
  Strides result, data, filter; // without the spatial ones
};

/// result[n, m, o..] of data and filter.
void convolve(DType type, const ConvolutionProblem &problem, std::byte *result,
              const std::byte *data, const std::byte *filter);

/// Its gradients: of the data's view every element is written, and of the
/// filter's.
void convolveData(DType type, const ConvolutionProblem &problem,
                  const std::byte *result, std::byte *data,
                  const std::byte *filter);
void convolveFilter(DType type, const ConvolutionProblem &problem,
                    const std::byte *result, const std::byte *data,
                    std::byte *filter);

} // namespace smex::cpu

#endif
