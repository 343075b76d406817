// Descriptors of a convolution for the cases.
#ifndef SMEX_TEST_EMULATED_CUDNN_CASESHAPES_H
#define SMEX_TEST_EMULATED_CUDNN_CASESHAPES_H

#include "test/emulated/cudnn/CaseLibrary.h"

namespace smex::cases {

enum DataType { Float = 0, Double = 1, Half = 2, Bfloat16 = 9 };

/// What the descriptors are told: 2 images of 4 channels of 8 x 8, 6 windows of
/// 3 x 3, unless a case says otherwise.
struct Shape {
  std::vector<int> data{2, 4, 8, 8}, filter{6, 4, 3, 3}, result{2, 6, 8, 8};
  std::vector<int> dataStrides, resultStrides; // empty: packed
  std::vector<int> pads{1, 1}, strides{1, 1}, dilations{1, 1};
  int groups = 1, type = Float, computeType = Float, mathType = 3, mode = 1;
  int format = 0;

  static std::vector<int> packed(const std::vector<int> &sizes) {
    std::vector<int> strides(sizes.size());
    int stride = 1;
    for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d])
      strides[d] = stride;
    return strides;
  }
  /// The result's extents that follow from the others.
  void setResult() {
    result = {data[0], filter[0]};
    for (size_t d = 0; d < pads.size(); ++d)
      result.push_back(
          (data[2 + d] + 2 * pads[d] - (filter[2 + d] - 1) * dilations[d] - 1) /
              strides[d] +
          1);
  }
};

struct Descriptors {
  void *x = nullptr, *w = nullptr, *y = nullptr, *convolution = nullptr;
  int status = 0; // of the first call that failed
  Library &library;

  Descriptors(Library &library, const Shape &s) : library(library) {
    const auto check = [&](int code) { status = status ? status : code; };
    check(library.cudnnCreateTensorDescriptor(&x));
    check(library.cudnnCreateTensorDescriptor(&y));
    check(library.cudnnCreateFilterDescriptor(&w));
    check(library.cudnnCreateConvolutionDescriptor(&convolution));
    const auto tensor = [&](void *of, const std::vector<int> &sizes,
                            std::vector<int> strides) {
      if (strides.empty())
        strides = Shape::packed(sizes);
      check(library.cudnnSetTensorNdDescriptor(of, s.type, int(sizes.size()),
                                               sizes.data(), strides.data()));
    };
    tensor(x, s.data, s.dataStrides);
    tensor(y, s.result, s.resultStrides);
    check(library.cudnnSetFilterNdDescriptor(
        w, s.type, s.format, int(s.filter.size()), s.filter.data()));
    check(library.cudnnSetConvolutionNdDescriptor(
        convolution, int(s.pads.size()), s.pads.data(), s.strides.data(),
        s.dilations.data(), s.mode, s.computeType));
    check(library.cudnnSetConvolutionGroupCount(convolution, s.groups));
    check(library.cudnnSetConvolutionMathType(convolution, s.mathType));
  }
  ~Descriptors() {
    library.cudnnDestroyTensorDescriptor(x);
    library.cudnnDestroyTensorDescriptor(y);
    library.cudnnDestroyFilterDescriptor(w);
    library.cudnnDestroyConvolutionDescriptor(convolution);
  }
  Descriptors(const Descriptors &) = delete;
};

} // namespace smex::cases

#endif
