// Fetches and reductions between GPUs that do not reach each other's memory, by
// NCCL: what one GPU sends and receives in each instruction, all its workers
// together, and what its kernels do before and after. Pieces that lie in one
// run travel as they are; others are packed and unpacked in the staging that
// the plan keeps for their workers, in as many rounds as that takes
// (nccl/Rounds.h). Terms of a reduction are brought together there and then
// combined by the kernel that combines them elsewhere, in the plan's order, so
// that a result has the same bits however it came about; but for sums that NCCL
// adds up itself, where nobody wants these bits (nccl/Messages.h).
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGE_H
#define SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGE_H

#include "runtime/backends/cuda/Api.h"
#include "runtime/backends/cuda/nccl/Library.h"
#include "runtime/backends/cuda/nccl/LocalWaits.h"
#include "runtime/backends/cuda/nccl/Ranks.h"
#include "runtime/transports/Transport.h"

namespace smex::cuda {

struct CudaProgram;

/// What all GPUs of a program need that exchange.
struct Exchanging {
  const nccl::Library &library;
  nccl::Ranks ranks;
  nccl::UniqueId id;
  /// Per worker of this process, and instruction.
  std::vector<std::vector<std::vector<nccl::LocalWait>>> waits;
  /// The steps of the groups that have a communicator of their own, in one
  /// order everywhere.
  std::vector<StepSet> groups;
  /// NCCL adds up what it can, in its own order.
  bool addsUp = false;
};

/// The launch of a kernel of kernels/cuda.
struct OwnLaunch {
  std::string symbol;
  unsigned gridX = 1, gridY = 1, threads = 1;
  std::vector<uint64_t> arguments; // 8 bytes each, whatever their type
  Function function = nullptr;
  std::vector<void *> parameters; // where the arguments are
};

/// What one GPU does at once, one after the other.
struct ExchangeRound {
  std::vector<OwnLaunch> packs;
  struct Transfer {
    Address at;
    int64_t bytes;
    int rank;
  };
  std::vector<Transfer> sends, receives;
  /// Instead of these: an all-gather of the group that these steps span.
  struct Gather {
    StepSet over;
    Address from, to;
    int64_t bytes; // of a share
  };
  std::optional<Gather> gather;
  /// Or a sum of that group's terms.
  struct Sum {
    StepSet over;
    Address from, to;
    int64_t elements; // that each gets
    int type;         // ncclDataType_t
    bool isScattered; // a reduce-scatter; or else an all-reduce
  };
  std::optional<Sum> sum;
  std::vector<OwnLaunch> unpacks;

  bool moves() const {
    return gather || sum || !sends.empty() || !receives.empty();
  }
};

/// What one GPU does in one instruction.
struct Exchange {
  int instruction = 0;
  /// After these, of the first step: of workers of this GPU.
  std::vector<runtime::Event> waits;
  std::vector<ExchangeRound> rounds; // those that it has a part in
};

struct Exchanges {
  std::vector<Exchange> list; // in the order of the instructions
  std::vector<std::byte> tables;
};

/// Those of a GPU of this process. The size of the tables does not depend on
/// addresses, so it may be asked for before there is memory.
Result<Exchanges> exchangesOf(const CudaProgram &shared, size_t gpu,
                              Address tables);

/// The steps of all all-gathers that a library can do, and of sums if it
/// `addsUp`, each once, in the order of the instructions.
std::vector<StepSet> groupsOf(const plan::Partitioned &partitioned,
                              const nccl::Ranks &ranks, bool addsUp);

} // namespace smex::cuda

#endif
