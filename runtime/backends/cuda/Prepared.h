// Instructions of one worker made ready to be launched: everything that depends
// only on the plan is worked out once.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_PREPARED_H
#define SMEX_RUNTIME_BACKENDS_CUDA_PREPARED_H

#include "runtime/backends/cuda/Library.h"

#include <cstring>
#include <memory>

namespace smex::cuda {

struct CudaProgram;
class LoadedCode;

/// What an instruction does on its stream, where it does anything.
struct Prepared {
  enum class Kind {
    Nothing,
    Launch,
    Library,
    ToHost,
    FromHost
  } kind = Kind::Nothing;
  // Launch:
  Function function = nullptr;
  unsigned gridX = 1, gridY = 1, threads = 1;
  /// Launched before with the same arguments, where it is anything.
  Function parts = nullptr;
  unsigned partsX = 0;
  void **parameters = nullptr; // of PreparedWorker
  // Library:
  std::unique_ptr<LibraryCall> call;
  // Moves to the host and from there:
  Address device = 0;
  std::byte *host = nullptr;
  int64_t bytes = 0;
  /// Of a transfer, what comes from other workers.
  int64_t receivedBytes = 0;
};

/// Bytes that are put together before the GPUs' memory is taken. Addresses in
/// them say which GPU and how far in its memory (CudaProgram::Place); settle()
/// makes them real.
class Tables {
public:
  explicit Tables(Address base = 0) : base(base) {}
  /// Adds `count` entries of `size` bytes each, with addresses at some bytes of
  /// each. Returns the address that they will have, a multiple of 16.
  Address add(const void *entries, size_t count, size_t size,
              const std::vector<size_t> &addressesAt);
  template <typename Settled> void settle(const Settled &settled) {
    for (size_t at : addresses) {
      Address address = 0;
      std::memcpy(&address, all.data() + at, sizeof address);
      address = settled(address);
      std::memcpy(all.data() + at, &address, sizeof address);
    }
    addresses.clear();
  }
  const std::vector<std::byte> &contents() const { return all; }

private:
  Address base;
  std::vector<std::byte> all;
  std::vector<size_t> addresses; // where they are in it
};

/// All instructions of a worker, and what their launches read.
struct PreparedWorker {
  std::vector<Prepared> instructions;
  /// Maps that libraries do with the products before them; they are Nothing.
  int64_t epilogues = 0;
  /// In the GPU's memory: pieces of transfers, and arguments of kernels that
  /// are too many to be parameters.
  Tables tables;
  /// In the host's: parameters of launches, 8 bytes each, whatever their type.
  std::vector<uint64_t> arguments;
  std::vector<void *> parameters; // where each of them is

  /// What is left to be done once addresses are known and code is loaded.
  struct Launch {
    size_t instruction;
    const std::unique_ptr<LoadedCode> *code; // of the GPU
    std::string symbol, parts;               // the entry for parts; empty: none
    size_t firstArgument;
  };
  std::vector<Launch> launches;
  std::vector<size_t> addresses; // which of the arguments are
};

/// Before the GPUs' memory is taken: what the worker's arena and tables need of
/// it is known then. `tables`: where these will begin.
Result<PreparedWorker> prepare(const CudaProgram &shared, int worker,
                               Address tables);
/// Afterwards: addresses are real, functions are found, and libraries' calls
/// are bound.
Status settle(const CudaProgram &shared, int worker, PreparedWorker &prepared);

} // namespace smex::cuda

#endif
