#include "test/emulated/cudnn/Problem.h"

#include <algorithm>

namespace smex::emulated::cudnn {
namespace {

Tensor tensorOf(void *pointer, Object::Kind kind, const char *what) {
  const Tensor &tensor = get<Tensor>(pointer, kind, what);
  if (!tensor.isSet)
    refuse(BAD_PARAM, std::string(what) + " has been created and not set",
           cites::neverSet);
  return tensor;
}

bool isFloatConfiguration(const Problem &p) {
  return p.data.type == Float && p.convolution.computeType == Float;
}
/// x and w of half, sums of float.
bool isPseudoHalf(const Problem &p) {
  return p.data.type == Half && p.convolution.computeType == Float;
}
bool isPseudoBfloat(const Problem &p) {
  return p.data.type == Bfloat16 && p.convolution.computeType == Float;
}

bool everywhere(const std::vector<int64_t> &numbers, int64_t value) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](int64_t each) { return each == value; });
}

bool window(const Problem &p, int64_t size) {
  return std::all_of(p.filter.sizes.begin() + 2, p.filter.sizes.end(),
                     [&](int64_t each) { return each == size; });
}

/// "NCHW HW-packed": rows follow each other without a gap.
bool isPacked(const Tensor &tensor) {
  int64_t stride = 1;
  for (size_t d = tensor.sizes.size(); d-- > 2; stride *= tensor.sizes[d])
    if (tensor.sizes[d] != 1 && tensor.strides[d] != stride)
      return false;
  return true;
}

/// The elements, in whatever order, are all that lies between the first and the
/// last of them.
bool isWithoutGaps(const Tensor &tensor) {
  int64_t elements = 1, reach = 1;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    elements *= tensor.sizes[d];
    reach += (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  return reach == elements;
}

/// "The filter's height must be greater than the zero-padding height", and so
/// the width; "the filter's height and width must not exceed" `most`.
bool fitsTransform(const Problem &p, int64_t most) {
  for (size_t d = 0; d < p.spatialRank(); ++d)
    if (p.filter.sizes[2 + d] <= p.convolution.pads[d] ||
        p.filter.sizes[2 + d] > most)
      return false;
  return isPacked(p.data) && isPacked(p.result) &&
         everywhere(p.convolution.dilations, 1);
}

/// What the Fourier and Winograd algorithms want of the three functions.
bool transforms(const Problem &p, bool isTiled) {
  const bool strided = !everywhere(p.convolution.strides, 1);
  if (strided || isPseudoBfloat(p))
    return false;
  if (!isTiled) {
    // "xDesc's feature map height + 2 * convDesc's zero-padding height must
    // equal 256 or less"
    for (size_t d = 0; d < p.spatialRank(); ++d)
      if (p.data.sizes[2 + d] + 2 * p.convolution.pads[d] > 256)
        return false;
    return p.spatialRank() == 2 && fitsTransform(p, 256);
  }
  return fitsTransform(p, p.spatialRank() == 2 ? 32 : 16);
}

bool winograd(const Problem &p, bool isFused) {
  if (p.spatialRank() != 2 || !everywhere(p.convolution.strides, 1) ||
      !everywhere(p.convolution.dilations, 1))
    return false;
  return isFused ? window(p, 3) && !isPseudoBfloat(p)
                 : window(p, 3) || window(p, 5);
}

} // namespace

int64_t outputSize(const Problem &p, size_t d) {
  // "outputDim = 1 + (inputDim + 2*pad - (((filterDim-1)*dilation)+1)) /
  // convolutionStride;" (cudnnGetConvolutionNdForwardOutputDim())
  const int64_t window =
      (p.filter.sizes[2 + d] - 1) * p.convolution.dilations[d] + 1;
  return 1 + (p.data.sizes[2 + d] + 2 * p.convolution.pads[d] - window) /
                 p.convolution.strides[d];
}

namespace {

/// The data and the result: no element is at another one's place.
void wantApart(const Tensor &tensor, const char *what) {
  std::vector<std::pair<int64_t, int64_t>> steps; // stride, size
  for (size_t d = 0; d < tensor.sizes.size(); ++d)
    if (tensor.sizes[d] > 1)
      steps.push_back({tensor.strides[d], tensor.sizes[d]});
  std::sort(steps.begin(), steps.end());
  int64_t reach = 1;
  for (const auto &[stride, size] : steps) {
    if (stride < reach)
      refuse(BAD_PARAM, std::string("elements of ") + what + " overlap",
             cites::overlap);
    reach = stride * (size - 1) + reach;
  }
}

/// Types that the tables of supported configurations have, of three tensors of
/// one type.
void wantConfiguration(const Problem &p) {
  if (isFloatConfiguration(p) || isPseudoHalf(p) || isPseudoBfloat(p))
    return;
  const int type = p.data.type, sums = p.convolution.computeType;
  const bool isNvidias = type == sums && (type == Double || type == Half);
  refuse(NOT_SUPPORTED,
         "tensors of type " + std::to_string(type) + " with sums of type " +
             std::to_string(sums),
         isNvidias ? cites::someConfigurations : cites::configurations);
}

} // namespace

Problem problemOf(Direction direction, void *data, void *filter, void *result,
                  void *convolution) {
  Problem p{
      direction, tensorOf(data, Object::Kind::Tensor, "the data's descriptor"),
      tensorOf(filter, Object::Kind::Filter, "the filter's descriptor"),
      result ? tensorOf(result, Object::Kind::Tensor, "the result's descriptor")
             : Tensor(Object::Kind::Tensor),
      get<Convolution>(convolution, Object::Kind::Convolution,
                       "the convolution's descriptor")};
  if (!p.convolution.isSet)
    refuse(BAD_PARAM, "the convolution's descriptor has not been set",
           cites::neverSet);
  const size_t rank = p.data.sizes.size();
  const auto sameRank = [&](const Tensor &tensor) {
    return tensor.sizes.size() == rank;
  };
  if (!sameRank(p.filter) || (result && !sameRank(p.result)) || rank < 3 ||
      rank != p.spatialRank() + 2)
    refuse(BAD_PARAM, "descriptors have different numbers of dimensions",
           cites::ranks);
  const int64_t groups = p.convolution.groups;
  if (p.data.sizes[1] != p.filter.sizes[1] * groups)
    refuse(BAD_PARAM, "the data's channels are not the filter's, per group",
           cites::channels);
  for (size_t d = 0; d < p.spatialRank(); ++d)
    if ((p.filter.sizes[2 + d] - 1) * p.convolution.dilations[d] + 1 >
        p.data.sizes[2 + d] + 2 * p.convolution.pads[d])
      refuse(BAD_PARAM, "the filter is larger than the padded data",
             cites::filterSize);
  if (!result)
    return p;
  if (p.filter.sizes[0] % groups != 0)
    refuse(BAD_PARAM, "the filter's results are no multiple of the groups",
           cites::groups);
  if (p.filter.type != p.data.type || p.result.type != p.data.type)
    refuse(BAD_PARAM, "the descriptors' types differ", cites::types);
  for (const Tensor *tensor : {&p.data, &p.result})
    for (int64_t stride : tensor->strides)
      if (stride < 0)
        refuse(BAD_PARAM, "a stride is negative", cites::negativeStride);
  if (rank != 4 && rank != 5)
    refuse(NOT_SUPPORTED, "tensors have neither 4 nor 5 dimensions",
           cites::fourOrFive);
  if (p.result.sizes[0] != p.data.sizes[0] ||
      p.result.sizes[1] != p.filter.sizes[0])
    refuse(BAD_PARAM, "the result's images or channels are other ones",
           cites::images);
  for (size_t d = 0; d < p.spatialRank(); ++d)
    if (p.result.sizes[2 + d] != outputSize(p, d))
      refuse(BAD_PARAM,
             "the result has " + std::to_string(p.result.sizes[2 + d]) +
                 " places in spatial dimension " + std::to_string(d) +
                 ", and the convolution gives " +
                 std::to_string(outputSize(p, d)),
             cites::sizes);
  wantApart(p.data, "the data");
  wantApart(p.result, "the result");
  wantConfiguration(p);
  if (p.filter.format != Nchw)
    refuse(NOT_SUPPORTED,
           "the filter's format is " + std::to_string(p.filter.format),
           cites::someLayouts);
  return p;
}

int algorithmCount(Direction direction) {
  // CUDNN_CONVOLUTION_FWD_ALGO_COUNT, ..BWD_DATA.., ..BWD_FILTER..
  return direction == Direction::Forward ? 8
         : direction == Direction::Data  ? 6
                                         : 7;
}

bool hasGapsOfGradient(const Problem &p) {
  return p.direction != Direction::Forward &&
         !(isWithoutGaps(p.data) && isWithoutGaps(p.result));
}

/// The tables "Supported Algorithms" for 2-d and 3-d of
/// cudnnConvolutionForward(), cudnnConvolutionBackwardData() and
/// cudnnConvolutionBackwardFilter().
bool supports(const Problem &p, int algorithm) {
  if (hasGapsOfGradient(p))
    return false;
  const bool is2d = p.spatialRank() == 2;
  const bool undilated = everywhere(p.convolution.dilations, 1);
  switch (p.direction) {
  case Direction::Forward:
    switch (algorithm) {
    case 0: // IMPLICIT_GEMM
    case 1: // IMPLICIT_PRECOMP_GEMM
      return true;
    case 2: // GEMM: 2-d, no dilation
      return is2d && undilated;
    case 4: // FFT
    case 5: // FFT_TILING
      return transforms(p, algorithm == 5);
    case 6: // WINOGRAD
    case 7: // WINOGRAD_NONFUSED
      return winograd(p, algorithm == 6);
    default: // DIRECT: "This algorithm is not implemented"
      return false;
    }
  case Direction::Data:
    switch (algorithm) {
    case 0:
    case 1:
      return true;
    case 2: // FFT
    case 3: // FFT_TILING
      return transforms(p, algorithm == 3);
    case 4: // WINOGRAD
    case 5: // WINOGRAD_NONFUSED
      return winograd(p, algorithm == 4);
    default:
      return false;
    }
  case Direction::Filter:
    switch (algorithm) {
    case 0:
    case 1:
      return true;
    case 2: // FFT
    case 6: // FFT_TILING
      return is2d && transforms(p, algorithm == 6);
    case 3:
      return undilated;
    case 5: // WINOGRAD_NONFUSED
      return winograd(p, false);
    default: // WINOGRAD: "not implemented"
      return false;
    }
  }
  return false;
}

bool isDeterministic(Direction direction, int algorithm) {
  // "the results are non-deterministic": CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
  // CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 and ..ALGO_3.
  if (direction == Direction::Data)
    return algorithm != 0;
  return direction == Direction::Forward || (algorithm != 0 && algorithm != 3);
}

/// NVIDIA's numbers are its own affair. Here ALGO_0 needs nothing, and the
/// others the more, the faster they are said to be.
size_t workspaceOf(const Problem &p, int algorithm) {
  if (algorithm == 0)
    return 0;
  size_t bytes = size_t(p.filter.elementBytes());
  for (int64_t size : p.filter.sizes)
    bytes *= size_t(size);
  return 256 + bytes * size_t(algorithm);
}

} // namespace smex::emulated::cudnn
