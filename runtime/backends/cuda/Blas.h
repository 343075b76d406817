// cuBLASLt, loaded when a plan first needs it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_BLAS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_BLAS_H

#include "runtime/backends/cuda/BlasApi.h"
#include "runtime/backends/cuda/Driver.h"

#include <string>

namespace smex::cuda {

class Blas : public blas::Entries {
public:
  /// The library of this process. Fault::Environment, in one message: it is
  /// missing, of another major version than 12 or 13, newer than the driver, or
  /// lacks an entry point.
  static Result<const Blas *> get(const Driver &driver);

  /// "cuBLASLt 13.1.0"
  std::string name() const;
  /// An error that names what was tried and what the library says of it.
  Status check(blas::StatusCode code, const std::string &what) const;

private:
  Status load(const Driver &driver);

  runtime::SharedLibrary library;
  size_t version = 0; // as CUBLAS_VERSION of cublas_api.h
};

} // namespace smex::cuda

#endif
