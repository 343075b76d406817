// CUDA's driver, loaded when it is first used: a program that never asks for a
// GPU runs on machines that have none.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DRIVER_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DRIVER_H

#include "dialects/support/Result.h"
#include "runtime/backends/cuda/Api.h"
#include "runtime/library/SharedLibrary.h"

namespace smex::cuda {

class Driver : public Entries {
public:
  /// The driver of this process, once it is initialized. Fault::Environment, in
  /// one message: the library is missing, too old, or lacks an entry point; or
  /// there is no GPU.
  static Result<const Driver *> get();

  /// After get() has failed: the machine has no driver, or no GPU, which is no
  /// news to who did not ask for one.
  static bool isAbsent();

  int gpus() const { return count; }
  /// 12040: of CUDA 12.4.
  int version() const { return versionNumber; }

  /// An error that names what was tried and what CUDA says of it; memory that
  /// is not there, and whatever else the machine is at fault for, is
  /// Fault::Environment.
  Status check(Code code, const std::string &what) const;

private:
  Status load();

  runtime::SharedLibrary library;
  int count = 0, versionNumber = 0;
};

/// 11080: "11.8".
std::string driverVersionText(int version);

/// The driver that code needs, of CUDA 11.8: the PTX of plans is of version 7.8
/// or later.
constexpr int leastDriver = 11080;

} // namespace smex::cuda

#endif
