// Fetches and reductions of one worker as the kernels of kernels/cuda take
// them.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_TRANSFERS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_TRANSFERS_H

#include "kernels/cuda/Pieces.h"
#include "runtime/backends/cuda/Api.h"
#include "runtime/plan/Plan.h"

#include <functional>

namespace smex::cuda {

/// Where a worker's buffer begins, as every GPU here sees it.
using AddressOf = std::function<Address(int worker, int buffer)>;

struct Fetch {
  int unit = 1; // bytes that a thread copies at a time: 1, 2, 4, 8 or 16
  std::vector<FetchPiece> pieces;
  int64_t largest = 0;       // units of a piece, the most
  int64_t receivedBytes = 0; // from other workers
};
/// The worker's part of a fetch, or of a reduction whose pieces are each all of
/// what they bring: as few pieces and as wide units as memory allows.
Fetch fetchOf(const plan::Partitioned &partitioned, int worker, int instruction,
              const AddressOf &addressOf);

struct Reduce {
  std::string kernel; // "smex_reduce_f32"
  int reduction = 0;  // Sum, Max, Min, Prod
  std::vector<ReducePiece> pieces;
  long long sizes[mostDimensions] = {};
  int64_t elements = 0;
  int64_t receivedBytes = 0; // from other workers
};
/// The worker's part of a reduction; an error where its box has more dimensions
/// than the kernels take.
Result<Reduce> reduceOf(const plan::Partitioned &partitioned, int worker,
                        int instruction, const AddressOf &addressOf);

} // namespace smex::cuda

#endif
