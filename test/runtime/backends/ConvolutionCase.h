// Convolutions drawn at random, and their lambdas.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CONVOLUTIONCASE_H
#define SMEX_TEST_RUNTIME_BACKENDS_CONVOLUTIONCASE_H

#include "test/runtime/backends/KernelCase.h"

namespace smex::runtime {

/// Extents of a convolution, and its lambda.
struct ConvolutionCase {
  std::vector<int64_t> data, filter, result;
  plan::ConvolutionInfo info;

  std::string lambda(DType type) const {
    const size_t rank = info.strides.size();
    const std::string t(name(type)), r = "[" + std::to_string(rank + 2) + "]";
    const int64_t m = filter[0] / info.groups, c = filter[1];
    std::string outputs = "i0, i1", sums = "r0", reads = "i0, ", filters;
    reads += info.groups == 1 ? "r0"
                              : "i1 // " + std::to_string(m) + " * " +
                                    std::to_string(c) + " + r0";
    for (size_t d = 0; d < rank; ++d) {
      const std::string i = "i" + std::to_string(d + 2),
                        k = "r" + std::to_string(d + 1);
      outputs += ", " + i;
      sums += ", " + k;
      filters += ", " + k;
      reads += ", " + i + " * " + std::to_string(info.strides[d]) + " + " + k +
               " * " + std::to_string(info.dilations[d]) +
               (info.pads[d] < 0 ? " + " : " - ") +
               std::to_string(std::abs(info.pads[d]));
    }
    return "(x0: " + t + r + ", x1: " + t + r + ") -> " + t + ": lambda " +
           outputs + ": Sum(lambda " + sums + ": (x0[" + reads +
           "] else 0) * x1[i1, r0" + filters + "])";
  }

  /// What of the data is read for this part of the indices.
  Box dataBox(const Box &indices) const {
    const size_t rank = info.strides.size();
    const int64_t m = filter[0] / info.groups, c = filter[1];
    const Interval parts = indices[1];
    Box box{indices[0],
            {parts.lo / m * c + indices[2 + rank].lo,
             (parts.hi - 1) / m * c + indices[2 + rank].hi}};
    for (size_t d = 0; d < rank; ++d) {
      const Interval o = indices[2 + d], k = indices[3 + rank + d];
      const int64_t lo =
          o.lo * info.strides[d] + k.lo * info.dilations[d] - info.pads[d];
      const int64_t hi = (o.hi - 1) * info.strides[d] +
                         (k.hi - 1) * info.dilations[d] - info.pads[d] + 1;
      box.push_back(intersect(Interval{lo, hi}, Interval{0, data[2 + d]}));
      if (box.back().empty())
        box.back() = {0, 0};
    }
    return box;
  }
};

inline ConvolutionCase randomConvolution(KernelCase &test, size_t rank,
                                         int64_t channels, int64_t extent) {
  ConvolutionCase p;
  p.info.groups = test.draw(0, 2) ? 1 : test.draw(1, channels);
  const int64_t c = test.draw(1, channels), m = test.draw(1, channels);
  const int64_t images = test.draw(1, 3);
  p.data = {images, p.info.groups * c};
  p.filter = {p.info.groups * m, c};
  p.result = {images, p.info.groups * m};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t k = test.draw(1, 4), dilation = test.draw(1, 3);
    const int64_t reach = (k - 1) * dilation + 1;
    const int64_t least = std::max<int64_t>(1, reach - 3);
    const int64_t in = test.draw(least, std::max(least, extent));
    const int64_t pad = test.draw(-1, 2), end = test.draw(-1, 3);
    const int64_t stride = test.draw(1, 3);
    const int64_t room = in + pad + end - reach;
    p.info.strides.push_back(stride);
    p.info.dilations.push_back(dilation);
    p.info.pads.push_back(pad);
    p.data.push_back(in);
    p.filter.push_back(k);
    p.result.push_back(room < 0 ? 1 : room / stride + 1);
  }
  return p;
}

} // namespace smex::runtime

#endif
