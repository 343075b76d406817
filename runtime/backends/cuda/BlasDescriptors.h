// What cuBLASLt is told of a product of matrices.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_BLASDESCRIPTORS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_BLASDESCRIPTORS_H

#include "dialects/support/DType.h"
#include "runtime/backends/cuda/Blas.h"
#include "runtime/plan/MatrixProduct.h"

#include <utility>

namespace smex::cuda::blas {

/// One of the library's descriptors.
template <typename T> class Owned {
public:
  using Destroy = StatusCode (*)(T);
  Owned() = default;
  Owned(T value, Destroy destroy) : value(value), destroy(destroy) {}
  Owned(Owned &&other) noexcept { *this = std::move(other); }
  Owned &operator=(Owned &&other) noexcept {
    std::swap(value, other.value);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~Owned() {
    if (value)
      destroy(value);
  }
  T get() const { return value; }

private:
  T value = nullptr;
  Destroy destroy = nullptr;
};

/// A product of matrices as the library describes it.
struct Described {
  Owned<Operation> operation;
  Owned<Layout> a, b, d;
};

/// What products of numbers of this type are added up in: of 16 bits, in f32.
inline DType sumsOf(DType type) {
  return type == DType::F64 ? DType::F64 : DType::F32;
}

/// `type` is that of both operands.
Result<Described> describe(const Blas &blas, const plan::MatrixProduct &product,
                           DType type, DType result);

} // namespace smex::cuda::blas

#endif
