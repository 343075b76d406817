// NCCL, loaded when GPUs that do not reach each other's memory first want to
// exchange something.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_NCCL_LIBRARY_H
#define SMEX_RUNTIME_BACKENDS_CUDA_NCCL_LIBRARY_H

#include "dialects/support/Result.h"
#include "runtime/backends/cuda/nccl/Api.h"
#include "runtime/library/SharedLibrary.h"

namespace smex::nccl {

/// 2.18, the first with ncclCommSplit.
constexpr int leastVersion = 21800;

class Library : public Entries {
public:
  /// NCCL of this process. Fault::Environment, in one message: the library is
  /// missing, too old, or lacks an entry point.
  static Result<const Library *> get();

  /// An error that names what was tried and what NCCL says of it.
  Status check(Code code, const std::string &what,
               Communicator communicator = nullptr) const;

  /// 22809: 2.28.9.
  int version() const { return versionNumber; }

private:
  Status load();

  runtime::SharedLibrary library;
  int versionNumber = 0;
};

} // namespace smex::nccl

#endif
