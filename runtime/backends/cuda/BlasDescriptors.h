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

/// What is done with each element before it is rounded and written: a sum of
/// epilogueBias and others.
Status setEpilogue(const Blas &blas, const Described &made, uint32_t epilogue);
/// Where the bias is: packed elements of the result's type, one per row of the
/// result. Only cublasLtMatmul reads there; whoever asks for an algorithm
/// before gets one for this address' alignment.
Status setBias(const Blas &blas, const Described &made, Address bias);

} // namespace smex::cuda::blas

#endif
