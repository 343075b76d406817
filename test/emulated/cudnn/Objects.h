// What handles and descriptors of the emulated cuDNN are.
#ifndef SMEX_TEST_EMULATED_CUDNN_OBJECTS_H
#define SMEX_TEST_EMULATED_CUDNN_OBJECTS_H

#include "test/emulated/cuda/LibraryWork.h"
#include "test/emulated/cudnn/Citations.h"
#include "test/emulated/cudnn/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smex::emulated::cudnn {

/// A refusal: what is returned, and why and where NVIDIA says so, for
/// cudnnGetLastErrorString and the emulator's log.
struct Refusal {
  Status status;
  std::string text;
};
[[noreturn]] inline void refuse(Status status, const std::string &why,
                                const Citation &citation) {
  throw Refusal{status, cited(why, citation)};
}

// cudnnDataType_t, cudnnMathType_t, cudnnTensorFormat_t
enum DataType { Float, Double, Half, Int32 = 4, Bfloat16 = 9 };
enum Format { Nchw, Nhwc, NchwVectC };
enum MathType { DefaultMath, TensorOp, TensorOpConversion, Fma };

struct Object {
  enum class Kind { Handle, Tensor, Filter, Convolution } kind;
  explicit Object(Kind kind) : kind(kind) {}
  virtual ~Object() = default;
};

struct Handle : Object {
  Handle() : Object(Kind::Handle) {}
  int device = -1;
  void *stream = nullptr;
  uint64_t memory = 0; // of the device, that the library keeps
};

/// Of filters, strides are those of the packed NCHW.
struct Tensor : Object {
  explicit Tensor(Kind kind) : Object(kind) {}
  bool isSet = false;
  int type = 0, format = 0;
  std::vector<int64_t> sizes, strides;

  int64_t elementBytes() const {
    return type == Float ? 4 : type == Double ? 8 : 2;
  }
};

struct Convolution : Object {
  Convolution() : Object(Kind::Convolution) {}
  bool isSet = false;
  std::vector<int64_t> pads, strides, dilations;
  int mode = 0, computeType = 0, mathType = DefaultMath, groups = 1;
};

/// The objects that exist. Each function refuses pointers to others.
void add(Object *object);
bool remove(void *pointer, Object::Kind kind);
Object *find(void *pointer, Object::Kind kind, const char *what);

template <class T> T &get(void *pointer, Object::Kind kind, const char *what) {
  return *static_cast<T *>(find(pointer, kind, what));
}
inline Handle &handleOf(void *pointer) {
  return get<Handle>(pointer, Object::Kind::Handle, "the handle");
}

/// A descriptor for a recorded call; nothing of what is none or not set.
std::optional<std::string> textOf(void *pointer);
bool isHandle(void *pointer);

/// Runs a function's body: counts the call (SMEX_EMULATED_FAIL_AT), turns
/// refusals into what is returned, and keeps their text.
template <class Body> int call(const char *function, const Body &body);

/// The emulated driver, without which there is no handle.
const DriverCalls *driver();
int failureOf(const char *function);
void keepError(const char *function, const Refusal &refusal);
std::string lastError();

template <class Body> int call(const char *function, const Body &body) {
  if (int failure = failureOf(function))
    return failure;
  try {
    body();
    return SUCCESS;
  } catch (const Refusal &refusal) {
    keepError(function, refusal);
    return refusal.status;
  }
}

/// The number that an environment variable gives, or another one.
uint64_t setting(const char *name, uint64_t otherwise);

} // namespace smex::emulated::cudnn

#endif
