#include "runtime/backends/cuda/dnn/Descriptors.h"

#include <climits>

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::dnn;

int64_t View::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool View::isDense() const {
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d])
    if (sizes[d] != 1 && strides[d] != stride)
      return false;
  return true;
}

View View::denseAt(Address place) const {
  View view{place, sizes, std::vector<int64_t>(sizes.size())};
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d])
    view.strides[d] = stride;
  return view;
}

bool Geometry::fits() const {
  for (const View *view : {&data, &filter, &result}) {
    int64_t span = 1;
    for (size_t d = 0; d < view->sizes.size(); ++d)
      span += (view->sizes[d] - 1) * view->strides[d];
    if (view->elements() > INT_MAX || span > INT_MAX)
      return false;
  }
  return true;
}

std::optional<int> dnn::typeOf(DType type) {
  switch (type) {
  case DType::F32:
    return dataFloat;
  case DType::F16:
    return dataHalf;
  case DType::BF16:
    return dataBfloat16;
  default:
    return std::nullopt;
  }
}

namespace {

std::vector<int> ints(const std::vector<int64_t> &numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Where a dimension has one element its stride is nobody's business, but the
/// library looks at strides to tell layouts.
std::vector<int> stridesOf(const View &view) {
  std::vector<int64_t> strides = view.strides;
  for (size_t d = strides.size(); d-- > 0;)
    if (view.sizes[d] == 1)
      strides[d] =
          d + 1 < strides.size() ? view.sizes[d + 1] * strides[d + 1] : 1;
  return ints(strides);
}

Result<std::shared_ptr<DescriptorType>> made(const Dnn &dnn,
                                             Code (*create)(Descriptor *),
                                             Code (*destroy)(Descriptor),
                                             const char *what) {
  Descriptor descriptor = nullptr;
  if (Status done = dnn.check(create(&descriptor), what); !done)
    return done.takeError();
  return std::shared_ptr<DescriptorType>(descriptor, destroy);
}

} // namespace

Result<Descriptors> Descriptors::make(const Dnn &dnn, DType type,
                                      const Geometry &geometry) {
  Descriptors all;
  const auto number = typeOf(type);
  if (!number)
    return fail("cuDNN computes no convolutions of ", name(type));
  const View *views[] = {&geometry.data, &geometry.result};
  for (size_t i = 0; i < 2; ++i) {
    auto tensor = made(dnn, dnn.createTensor, dnn.destroyTensor,
                       "cudnnCreateTensorDescriptor");
    if (!tensor)
      return tensor.takeError();
    all.tensors[i] = std::move(*tensor);
    if (Status set = dnn.check(dnn.setTensor(all.tensors[i].get(), *number,
                                             int(views[i]->sizes.size()),
                                             ints(views[i]->sizes).data(),
                                             stridesOf(*views[i]).data()),
                               "cudnnSetTensorNdDescriptor");
        !set)
      return set.takeError();
  }
  auto filter = made(dnn, dnn.createFilter, dnn.destroyFilter,
                     "cudnnCreateFilterDescriptor");
  if (!filter)
    return filter.takeError();
  all.filters = std::move(*filter);
  auto convolution = made(dnn, dnn.createConvolution, dnn.destroyConvolution,
                          "cudnnCreateConvolutionDescriptor");
  if (!convolution)
    return convolution.takeError();
  all.convolutions = std::move(*convolution);
  const std::pair<Code, const char *> steps[] = {
      {dnn.setFilter(all.filter(), *number, formatNchw,
                     int(geometry.filter.sizes.size()),
                     ints(geometry.filter.sizes).data()),
       "cudnnSetFilterNdDescriptor"},
      {dnn.setConvolution(all.convolution(), int(geometry.pads.size()),
                          geometry.pads.data(), geometry.strides.data(),
                          geometry.dilations.data(), crossCorrelation,
                          dataFloat),
       "cudnnSetConvolutionNdDescriptor"},
      {dnn.setGroupCount(all.convolution(), geometry.groups),
       "cudnnSetConvolutionGroupCount"},
      {dnn.setMathType(all.convolution(),
                       type == DType::F32 ? fmaMath : tensorOpMath),
       "cudnnSetConvolutionMathType"}};
  for (const auto &[code, what] : steps)
    if (Status set = dnn.check(code, what); !set)
      return set.takeError();
  return all;
}
