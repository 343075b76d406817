// The library itself, its handles and its descriptors.
#include "test/emulated/Recorded.h"
#include "test/emulated/cudnn/Functions.h"
#include "test/emulated/cudnn/Objects.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace smex::emulated;
using namespace smex::emulated::cudnn;

namespace {

template <class F> F driverEntry(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<F>(dlsym(library ? library : RTLD_DEFAULT, name));
}

template <class T> int make(const char *function, void **made, T *object) {
  std::unique_ptr<T> owned(object);
  return call(function, [&] {
    if (!made)
      refuse(BAD_PARAM, "there is no place for the descriptor", cites::nowhere);
    *made = owned.get();
    add(owned.release());
  });
}

int destroy(const char *function, void *of, Object::Kind kind) {
  return call(function, [&] {
    if (of && !remove(of, kind)) // cuDNN 9.19 was seen to take NULL
      refuse(BAD_PARAM, "there is no such descriptor", cites::dead);
  });
}

/// cudnnDataType_t goes on behind bfloat16, for cudnnBackend* alone.
void wantType(int type) {
  if (type < 0 || type > Bfloat16)
    refuse(BAD_PARAM, "there is no data type " + std::to_string(type),
           cites::dataType);
}

/// An array of so many numbers; what NVIDIA's reads unseen.
const int *wantArray(const int *array) {
  if (!array)
    refuse(BAD_PARAM, "an array is missing", cites::noArray);
  return array;
}

/// Statuses are those that cuDNN 9.19 gives, which takes 2 dimensions, where
/// its documentation has "Do not use 2 dimensions".
std::vector<int64_t> sizesOf(int rank, const int *sizes, int least) {
  if (rank < least)
    refuse(BAD_PARAM, "a tensor has " + std::to_string(rank) + " dimensions",
           cites::fewDimensions);
  if (rank > 8)
    refuse(NOT_SUPPORTED, "more than 8 dimensions", cites::manyDimensions);
  wantArray(sizes);
  for (int d = 0; d < rank; ++d)
    if (sizes[d] <= 0)
      refuse(BAD_PARAM,
             "size " + std::to_string(d) + " is " + std::to_string(sizes[d]),
             cites::extent);
  return {sizes, sizes + rank};
}

/// Of a descriptor that is refused, for a recorded call: "d=A;B;C", numbers and
/// arrays; nothing where an array is NULL. Those that are taken are in the
/// calls that use them.
int recordedDescriptor(const char *name, int status, int rank,
                       const std::vector<int> &before,
                       const std::vector<const int *> &arrays,
                       const std::vector<int> &after = {}) {
  return recorded(name, status, [&]() -> std::optional<std::string> {
    if (status == SUCCESS || rank < 0 || rank > 8)
      return std::nullopt;
    std::string text;
    for (int each : before)
      text += std::to_string(each) + ";";
    for (const int *array : arrays) {
      for (int d = 0; array && d < rank; ++d)
        text += (d ? "," : "") + std::to_string(array[d]);
      if (!array)
        return std::nullopt;
      text += ";";
    }
    for (int each : after)
      text += std::to_string(each) + ";";
    return "d=" + text;
  });
}

} // namespace

extern "C" {

size_t cudnnGetVersion() {
  return setting("SMEX_EMULATED_CUDNN_VERSION", 91900);
}

const char *cudnnGetErrorString(int status) {
  switch (status) {
#define SMEX_CUDNN_CASE(name, value)                                           \
  case value:                                                                  \
    return "CUDNN_STATUS_" #name;
    SMEX_CUDNN_STATUS(SMEX_CUDNN_CASE)
#undef SMEX_CUDNN_CASE
  }
  return "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char *text, size_t bytes) {
  if (!text || bytes == 0)
    return;
  const std::string last = lastError();
  const size_t length = std::min(bytes - 1, last.size());
  std::memcpy(text, last.data(), length);
  text[length] = 0;
}

int cudnnGraphVersionCheck() {
  return call("cudnnGraphVersionCheck", [] {});
}
int cudnnOpsVersionCheck() {
  return call("cudnnOpsVersionCheck", [] {});
}
int cudnnCnnVersionCheck() {
  return call("cudnnCnnVersionCheck", [] {});
}

int cudnnCreate(void **made) {
  return call("cudnnCreate", [&] {
    if (!made)
      refuse(BAD_PARAM, "there is no place for the handle", cites::nowhere);
    auto handle = std::make_unique<Handle>();
    // "The cuDNN library handle is tied to the current CUDA device (context)."
    handle->device = driver() ? driver()->deviceOf(nullptr) : -1;
    if (handle->device < 0)
      refuse(NOT_INITIALIZED, "there is no CUDA driver, or no context",
             cites::noContext);
    // So that it may not be called while a stream is captured.
    const auto allocate =
        driverEntry<int (*)(uint64_t *, size_t)>("cuMemAlloc_v2");
    if (allocate(&handle->memory, 4096) != 0)
      refuse(INTERNAL_ERROR, "there is no memory for the handle",
             cites::noMemory);
    *made = handle.get();
    add(handle.release());
  });
}

int cudnnDestroy(void *pointer) {
  return call("cudnnDestroy", [&] {
    if (!pointer) // cuDNN 9.19 was seen to take it
      return;
    // "releases the resources used by the cuDNN handle": cudaFree() among them,
    // which synchronizes the device.
    const uint64_t memory = handleOf(pointer).memory;
    driverEntry<int (*)(uint64_t)>("cuMemFree_v2")(memory);
    remove(pointer, Object::Kind::Handle);
  });
}

int cudnnSetStream(void *pointer, void *stream) {
  return call("cudnnSetStream", [&] {
    Handle &handle = handleOf(pointer);
    const int device = driver()->deviceOf(stream);
    if (device != handle.device)
      refuse(BAD_PARAM_STREAM_MISMATCH,
             "the stream is of device " + std::to_string(device) +
                 ", the handle of " + std::to_string(handle.device),
             cites::streamDevice);
    handle.stream = stream;
  });
}

int cudnnCreateTensorDescriptor(void **made) {
  return make("cudnnCreateTensorDescriptor", made,
              new Tensor(Object::Kind::Tensor));
}

int cudnnSetTensorNdDescriptor(void *of, int type, int rank, const int *sizes,
                               const int *strides) {
  const int status = call("cudnnSetTensorNdDescriptor", [&] {
    Tensor &tensor = get<Tensor>(of, Object::Kind::Tensor, "the descriptor");
    wantType(type);
    const std::vector<int64_t> extents = sizesOf(rank, sizes, 2);
    wantArray(strides);
    int64_t span = 1; // at most 8 terms of 62 bits
    for (int d = 0; d < rank; ++d) {
      if (sizes[d] > 1 && strides[d] == 0)
        refuse(BAD_PARAM, "stride " + std::to_string(d) + " is 0",
               cites::strideOfZero);
      span += (extents[size_t(d)] - 1) * std::abs(int64_t(strides[d]));
      if (span > INT_MAX)
        refuse(NOT_SUPPORTED, "more elements than 2^31 - 1", cites::span);
    }
    tensor.sizes = extents;
    tensor.strides.assign(strides, strides + rank);
    tensor.type = type;
    tensor.isSet = true;
  });
  return recordedDescriptor("cudnnSetTensorNdDescriptor", status, rank, {type},
                            {sizes, strides});
}

int cudnnDestroyTensorDescriptor(void *of) {
  return destroy("cudnnDestroyTensorDescriptor", of, Object::Kind::Tensor);
}

int cudnnCreateFilterDescriptor(void **made) {
  return make("cudnnCreateFilterDescriptor", made,
              new Tensor(Object::Kind::Filter));
}

int cudnnSetFilterNdDescriptor(void *of, int type, int format, int rank,
                               const int *sizes) {
  const int status = call("cudnnSetFilterNdDescriptor", [&] {
    Tensor &filter = get<Tensor>(of, Object::Kind::Filter, "the descriptor");
    wantType(type);
    if (format < Nchw || format > NchwVectC)
      refuse(BAD_PARAM, "there is no format " + std::to_string(format),
             cites::format);
    const bool isOfVectors = type != Float && type != Double && type != Half &&
                             type != Int32 && type != Bfloat16;
    if (format == NchwVectC && !isOfVectors)
      refuse(BAD_PARAM, "a format of vectors of numbers that have none",
             cites::vectors);
    filter.sizes = sizesOf(rank, sizes, 3);
    filter.strides.resize(size_t(rank));
    // Of any size: what is more than memory holds is refused when it is read.
    uint64_t stride = 1;
    for (size_t d = size_t(rank); d-- > 0; stride *= uint64_t(filter.sizes[d]))
      filter.strides[d] = int64_t(stride);
    filter.type = type;
    filter.format = format;
    filter.isSet = true;
  });
  return recordedDescriptor("cudnnSetFilterNdDescriptor", status, rank,
                            {type, format}, {sizes});
}

int cudnnDestroyFilterDescriptor(void *of) {
  return destroy("cudnnDestroyFilterDescriptor", of, Object::Kind::Filter);
}

int cudnnCreateConvolutionDescriptor(void **made) {
  return make("cudnnCreateConvolutionDescriptor", made, new Convolution());
}

int cudnnSetConvolutionNdDescriptor(void *of, int rank, const int *pads,
                                    const int *strides, const int *dilations,
                                    int mode, int computeType) {
  const int status = call("cudnnSetConvolutionNdDescriptor", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    if (rank > 6)
      refuse(NOT_SUPPORTED, "more than 6 spatial dimensions",
             cites::manySpatial);
    if (rank < 0)
      refuse(BAD_PARAM, "fewer spatial dimensions than none", cites::spatial);
    for (const int *array : {pads, strides, dilations})
      wantArray(array);
    if (mode != 0 && mode != 1)
      refuse(BAD_PARAM, "there is no mode " + std::to_string(mode),
             cites::mode);
    if (computeType != Float && computeType != Double && computeType != Half &&
        computeType != Int32)
      refuse(BAD_PARAM, "sums are not of type " + std::to_string(computeType),
             cites::sums);
    for (int d = 0; d < rank; ++d)
      if (pads[d] < 0 || strides[d] <= 0 || dilations[d] <= 0)
        refuse(BAD_PARAM,
               "a pad, stride or dilation of dimension " + std::to_string(d) +
                   " is too small",
               cites::window);
    convolution.pads.assign(pads, pads + rank);
    convolution.strides.assign(strides, strides + rank);
    convolution.dilations.assign(dilations, dilations + rank);
    convolution.mode = mode;
    convolution.computeType = computeType;
    convolution.isSet = true;
  });
  return recordedDescriptor("cudnnSetConvolutionNdDescriptor", status, rank, {},
                            {pads, strides, dilations}, {mode, computeType});
}

int cudnnSetConvolutionGroupCount(void *of, int groups) {
  return call("cudnnSetConvolutionGroupCount", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    if (groups < 1)
      refuse(BAD_PARAM,
             "a convolution has " + std::to_string(groups) + " groups",
             cites::groupCount);
    convolution.groups = groups;
  });
}

int cudnnSetConvolutionMathType(void *of, int mathType) {
  return call("cudnnSetConvolutionMathType", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    if (mathType < 0 || mathType > 3)
      refuse(BAD_PARAM, "there is no math type " + std::to_string(mathType),
             cites::mathType);
    convolution.mathType = mathType;
  });
}

int cudnnDestroyConvolutionDescriptor(void *of) {
  return destroy("cudnnDestroyConvolutionDescriptor", of,
                 Object::Kind::Convolution);
}
}
