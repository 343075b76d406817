// Instructions of one worker made ready to be launched: everything that depends
// only on the plan is worked out once.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_PREPARED_H
#define SMEX_RUNTIME_BACKENDS_CUDA_PREPARED_H

#include "dialects/support/Result.h"
#include "runtime/backends/cuda/Api.h"
#include "runtime/plan/Plan.h"

namespace smex::cuda {

struct CudaProgram;

/// What an instruction does on its stream, where it does anything.
struct Prepared {
  enum class Kind { Nothing, Launch, ToHost, FromHost } kind = Kind::Nothing;
  // Launch:
  Function function = nullptr;
  unsigned gridX = 1, gridY = 1, threads = 1;
  std::vector<uint64_t> arguments; // 8 bytes each, whatever their type
  // Moves to the host and from there:
  Address device = 0;
  std::byte *host = nullptr;
  int64_t bytes = 0;
  /// Of a transfer, what comes from other workers.
  int64_t receivedBytes = 0;
};

/// Tables in the GPU's memory that launches read: pieces of transfers, and
/// arguments of kernels that are too many to be parameters. They are put
/// together on the host and copied there once.
class Tables {
public:
  explicit Tables(Address base) : base(base) {}
  /// The address that the bytes will have there, a multiple of 16.
  Address add(const void *bytes, size_t count);
  const std::vector<std::byte> &contents() const { return all; }

private:
  Address base;
  std::vector<std::byte> all;
};

/// All instructions of a worker. With `find` null, functions are left out, as
/// when only the size of the tables is asked for.
Result<std::vector<Prepared>> prepare(const CudaProgram &shared, int worker,
                                      bool findFunctions, Tables &tables);

} // namespace smex::cuda

#endif
