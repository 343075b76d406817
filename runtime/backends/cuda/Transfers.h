// Fetches and reductions of one worker as the kernels of kernels/cuda take
// them.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_TRANSFERS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_TRANSFERS_H

#include "kernels/cuda/Pieces.h"
#include "runtime/backends/cuda/Api.h"
#include "runtime/plan/Plan.h"

#include <functional>
#include <optional>

namespace smex::cuda {

/// Where a worker's buffer begins, as every GPU here sees it.
using AddressOf = std::function<Address(int worker, int buffer)>;

/// A region in a GPU's memory, dense and row-major: a worker's buffer, or what
/// has been brought of it.
struct DenseBox {
  Address address = 0;
  Box box;
};

/// A box of one region that becomes the same box of another.
struct BoxCopy {
  Box box;
  DenseBox from, to;
  int64_t element = 1; // bytes
};

/// Threads of a block of the kernels of fetch and reduce, at most.
constexpr unsigned transferThreads = 256;
/// Blocks that share one result of so many elements.
unsigned transferBlocks(int64_t elements);

struct Fetch {
  int unit = 1; // bytes that a thread copies at a time: 1, 2, 4, 8 or 16
  std::vector<FetchPiece> pieces;
  unsigned blocks = 1;                // that share each of the pieces
  unsigned threads = transferThreads; // of a block
  int64_t receivedBytes = 0;          // from other workers
};
/// Units as wide as memory allows, and as few pieces, but that those which are
/// much longer than others are cut: the grid has equally many blocks for each,
/// and no more than a few times those that have something to do, nor than a few
/// hundred but for those of many pieces. Boxes are not empty.
Fetch fetchOf(const std::vector<BoxCopy> &copies);
/// The worker's part of a fetch.
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
/// The same of a part of the worker's box, where what it takes of the piece of
/// this number, among all of the worker, is in another place than the buffer of
/// the worker that it is from.
using DenseOf = std::function<DenseBox(size_t number, const Piece &piece)>;
Result<Reduce> reduceOf(const plan::Partitioned &partitioned, int worker,
                        int instruction, const Box &part,
                        const DenseOf &denseOf);

} // namespace smex::cuda

#endif
