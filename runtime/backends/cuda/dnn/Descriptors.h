// A convolution as cuDNN's descriptors say it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_DESCRIPTORS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_DESCRIPTORS_H

#include "dialects/support/DType.h"
#include "runtime/backends/cuda/dnn/Dnn.h"

#include <memory>
#include <optional>
#include <vector>

namespace smex::cuda::dnn {

/// A part of a buffer: images, channels, two or three spatial dimensions; of a
/// filter, result channels, data channels of a group, and the window. Strides
/// in elements.
struct View {
  Address address = 0;
  std::vector<int64_t> sizes, strides;

  int64_t elements() const;
  bool isDense() const;
  /// The same sizes, row-major, at another address.
  View denseAt(Address place) const;
};

/// One convolution that cuDNN can be told of: pads are the same on both sides
/// of a dimension.
struct Geometry {
  View data, filter, result;
  std::vector<int> pads, strides, dilations;
  int groups = 1;

  /// cuDNN counts elements in 32 bits.
  bool fits() const;
};

class Descriptors {
public:
  /// Products of 16-bit floats are summed in f32, those of f32 as they are,
  /// without TF32 (CUDNN_FMA_MATH).
  static Result<Descriptors> make(const Dnn &dnn, DType type,
                                  const Geometry &geometry);

  Descriptor data() const { return tensors[0].get(); }
  Descriptor result() const { return tensors[1].get(); }
  Descriptor filter() const { return filters.get(); }
  Descriptor convolution() const { return convolutions.get(); }

private:
  using Owned = std::shared_ptr<DescriptorType>;
  Owned tensors[2], filters, convolutions;
};

/// The type as cuDNN has it; nothing: it computes no such convolutions.
std::optional<int> typeOf(DType type);

} // namespace smex::cuda::dnn

#endif
