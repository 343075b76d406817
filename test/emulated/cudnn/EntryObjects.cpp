// The library itself, its handles and its descriptors.
#include "test/emulated/cudnn/Functions.h"
#include "test/emulated/cudnn/Objects.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
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
      refuse(BAD_PARAM_NULL_POINTER, "there is no place for the descriptor");
    *made = owned.get();
    add(owned.release());
  });
}

int destroy(const char *function, void *of, Object::Kind kind) {
  return call(function, [&] {
    if (!remove(of, kind))
      refuse(BAD_PARAM, "there is no such descriptor");
  });
}

/// Types that the functions of convolutions know here; NVIDIA's has more.
void wantType(int type) {
  if (type < 0 || type > 21)
    refuse(BAD_PARAM, "there is no data type " + std::to_string(type));
}

/// cudnnSetTensorNdDescriptor(): "nbDims: Do not use 2 dimensions"; at most
/// CUDNN_DIM_MAX, 8, or CUDNN_STATUS_NOT_SUPPORTED; "At least one of the
/// elements of the array dimA was negative or zero": CUDNN_STATUS_BAD_PARAM;
/// "the total size of the tensor is limited to 2 Giga elements". cuDNN 9.19
/// gives the statuses that are given here, 2 dimensions aside, which it takes.
std::vector<int64_t> sizesOf(int rank, const int *sizes, int least) {
  if (!sizes)
    refuse(BAD_PARAM_NULL_POINTER, "there are no sizes");
  if (rank < least)
    refuse(BAD_PARAM, "a tensor has " + std::to_string(rank) + " dimensions");
  if (rank > 8)
    refuse(NOT_SUPPORTED, "more than 8 dimensions");
  int64_t elements = 1;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] <= 0)
      refuse(BAD_PARAM,
             "size " + std::to_string(d) + " is " + std::to_string(sizes[d]));
    elements *= sizes[d];
    if (elements > INT_MAX)
      refuse(NOT_SUPPORTED, "more elements than 2^31 - 1");
  }
  return {sizes, sizes + rank};
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
      refuse(BAD_PARAM_NULL_POINTER, "there is no place for the handle");
    auto handle = std::make_unique<Handle>();
    // "The cuDNN library handle is tied to the current CUDA device (context)."
    handle->device = driver() ? driver()->deviceOf(nullptr) : -1;
    if (handle->device < 0)
      refuse(NOT_INITIALIZED, "there is no CUDA driver, or no context");
    // "this function allocates hardware resources on the host and device", so
    // that it may not be called while a stream is captured.
    const auto allocate =
        driverEntry<int (*)(uint64_t *, size_t)>("cuMemAlloc_v2");
    if (allocate(&handle->memory, 4096) != 0)
      refuse(INTERNAL_ERROR, "there is no memory for the handle");
    *made = handle.get();
    add(handle.release());
  });
}

int cudnnDestroy(void *pointer) {
  return call("cudnnDestroy", [&] {
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
    // "Mismatch between the user stream and the cuDNN handle context."
    const int device = driver()->deviceOf(stream);
    if (device != handle.device)
      refuse(BAD_PARAM_STREAM_MISMATCH,
             "the stream is of device " + std::to_string(device) +
                 ", the handle of " + std::to_string(handle.device));
    handle.stream = stream;
  });
}

int cudnnCreateTensorDescriptor(void **made) {
  return make("cudnnCreateTensorDescriptor", made,
              new Tensor(Object::Kind::Tensor));
}

int cudnnSetTensorNdDescriptor(void *of, int type, int rank, const int *sizes,
                               const int *strides) {
  return call("cudnnSetTensorNdDescriptor", [&] {
    Tensor &tensor = get<Tensor>(of, Object::Kind::Tensor, "the descriptor");
    wantType(type);
    if (!strides)
      refuse(BAD_PARAM_NULL_POINTER, "there are no strides");
    tensor.sizes = sizesOf(rank, sizes, 2);
    // cuDNN 9.19 does so; its documentation says nothing of it.
    for (int d = 0; d < rank; ++d)
      if (sizes[d] > 1 && strides[d] == 0)
        refuse(BAD_PARAM, "stride " + std::to_string(d) + " is 0");
    tensor.strides.assign(strides, strides + rank);
    tensor.type = type;
    tensor.isSet = true;
  });
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
  return call("cudnnSetFilterNdDescriptor", [&] {
    Tensor &filter = get<Tensor>(of, Object::Kind::Filter, "the descriptor");
    wantType(type);
    // "format has an invalid enumerant value": CUDNN_STATUS_BAD_PARAM
    if (format < 0 || format > 2)
      refuse(BAD_PARAM, "there is no format " + std::to_string(format));
    filter.sizes = sizesOf(rank, sizes, 3);
    filter.strides.resize(size_t(rank));
    int64_t stride = 1;
    for (size_t d = size_t(rank); d-- > 0; stride *= filter.sizes[d])
      filter.strides[d] = stride;
    filter.type = type;
    filter.format = format;
    filter.isSet = true;
  });
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
  return call("cudnnSetConvolutionNdDescriptor", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    // "The arrayLengthRequest is negative; the enumerant mode has an invalid
    // value; the enumerant datatype has an invalid value; one of the elements
    // of padA is strictly negative; one of the elements of strideA is negative
    // or zero; one of the elements of dilationA is negative or zero; the
    // descriptor convDesc is NULL": CUDNN_STATUS_BAD_PARAM. "arrayLength is
    // greater than CUDNN_DIM_MAX - 2": CUDNN_STATUS_NOT_SUPPORTED.
    if (rank > 6)
      refuse(NOT_SUPPORTED, "more than 6 spatial dimensions");
    if (rank < 0 || !pads || !strides || !dilations)
      refuse(BAD_PARAM, "an array is missing");
    if (mode != 0 && mode != 1)
      refuse(BAD_PARAM, "there is no mode " + std::to_string(mode));
    // cuDNN 9.19 also refuses sums of bfloat16.
    wantType(computeType);
    if (computeType == Bfloat16)
      refuse(BAD_PARAM, "sums are not of bfloat16");
    for (int d = 0; d < rank; ++d)
      if (pads[d] < 0 || strides[d] <= 0 || dilations[d] <= 0)
        refuse(BAD_PARAM, "a pad, stride or dilation of dimension " +
                              std::to_string(d) + " is too small");
    convolution.pads.assign(pads, pads + rank);
    convolution.strides.assign(strides, strides + rank);
    convolution.dilations.assign(dilations, dilations + rank);
    convolution.mode = mode;
    convolution.computeType = computeType;
    convolution.isSet = true;
  });
}

int cudnnSetConvolutionGroupCount(void *of, int groups) {
  return call("cudnnSetConvolutionGroupCount", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    // "An invalid convolution descriptor was provided", or a count below 1.
    if (groups < 1)
      refuse(BAD_PARAM,
             "a convolution has " + std::to_string(groups) + " groups");
    convolution.groups = groups;
  });
}

int cudnnSetConvolutionMathType(void *of, int mathType) {
  return call("cudnnSetConvolutionMathType", [&] {
    Convolution &convolution = get<Convolution>(of, Object::Kind::Convolution,
                                                "the convolution's descriptor");
    if (mathType < 0 || mathType > 3)
      refuse(BAD_PARAM, "there is no math type " + std::to_string(mathType));
    convolution.mathType = mathType;
  });
}

int cudnnDestroyConvolutionDescriptor(void *of) {
  return destroy("cudnnDestroyConvolutionDescriptor", of,
                 Object::Kind::Convolution);
}
}
