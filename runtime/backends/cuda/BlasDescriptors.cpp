#include "runtime/backends/cuda/BlasDescriptors.h"

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::blas;

namespace {

int typeOf(DType type) {
  switch (type) {
  case DType::F64:
    return f64;
  case DType::F16:
    return f16;
  case DType::BF16:
    return bf16;
  default:
    return f32;
  }
}

} // namespace

Result<Described> blas::describe(const Blas &blas,
                                 const plan::MatrixProduct &product, DType type,
                                 DType result) {
  const DType sums = sumsOf(type);
  Described made;
  Operation operation = nullptr;
  if (Status done = blas.check(
          blas.operationCreate(&operation,
                               sums == DType::F64 ? compute64F : compute32F,
                               typeOf(sums)),
          "cublasLtMatmulDescCreate");
      !done)
    return done.takeError();
  made.operation = {operation, blas.operationDestroy};
  const auto transposes = [&](int attribute, bool transposed) {
    const int32_t value = transposed ? transpose : transposeNone;
    return blas.check(
        blas.operationSet(operation, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
  };
  if (Status done = transposes(operationTransposeA, product.a.transposed);
      !done)
    return done.takeError();
  if (Status done = transposes(operationTransposeB, product.b.transposed);
      !done)
    return done.takeError();
  const auto layout = [&](Owned<Layout> &to, DType element, int64_t rows,
                          int64_t columns,
                          const plan::MatrixProduct::Matrix &matrix) -> Status {
    if (matrix.transposed)
      std::swap(rows, columns);
    Layout created = nullptr;
    if (Status done = blas.check(
            blas.layoutCreate(&created, typeOf(element), uint64_t(rows),
                              uint64_t(columns), matrix.leading),
            "cublasLtMatrixLayoutCreate");
        !done)
      return done;
    to = {created, blas.layoutDestroy};
    const int32_t count = int32_t(product.batch);
    const auto set = [&](int attribute, const void *value, size_t bytes) {
      return blas.check(blas.layoutSet(created, attribute, value, bytes),
                        "cublasLtMatrixLayoutSetAttribute");
    };
    if (Status done = set(layoutBatchCount, &count, sizeof count); !done)
      return done;
    return set(layoutStridedBatchOffset, &matrix.batchStride,
               sizeof matrix.batchStride);
  };
  if (Status done = layout(made.a, type, product.m, product.k, product.a);
      !done)
    return done.takeError();
  if (Status done = layout(made.b, type, product.k, product.n, product.b);
      !done)
    return done.takeError();
  if (Status done = layout(made.d, result, product.m, product.n, product.d);
      !done)
    return done.takeError();
  return made;
}

Status blas::setEpilogue(const Blas &blas, const Described &made,
                         uint32_t epilogue) {
  return blas.check(blas.operationSet(made.operation.get(), operationEpilogue,
                                      &epilogue, sizeof epilogue),
                    "cublasLtMatmulDescSetAttribute");
}

Status blas::setBias(const Blas &blas, const Described &made, Address bias) {
  void *pointer = reinterpret_cast<void *>(bias);
  return blas.check(blas.operationSet(made.operation.get(),
                                      operationBiasPointer, &pointer,
                                      sizeof pointer),
                    "cublasLtMatmulDescSetAttribute");
}
