// MultiFetch (thesis section 3.6): assembles a region from many sources in one
// launch. Column x of the grid copies piece x; the threads along y share its
// units. A grid has 65,535 rows at most and 2^31 - 1 columns, and the scattered
// rows of a large graph are many pieces. Whoever launches it cuts pieces that
// are much longer than others. Sources may be other GPUs' memory.
#ifndef SMEX_KERNELS_CUDA_FETCH_H
#define SMEX_KERNELS_CUDA_FETCH_H

#include "kernels/cuda/Device.h"
#include "kernels/cuda/Pieces.h"

namespace smex::cuda {

struct alignas(16) Unit16 {
  unsigned long long a, b;
};

template <typename Unit>
__device__ inline void fetch(const FetchPiece *pieces) {
  const FetchPiece &piece = pieces[block()];
  long long units = 1;
  for (int d = 0; d < mostDimensions; ++d)
    units *= piece.sizes[d];
  const long long threads = rows() * sizeOfBlock();
  for (long long i = row() * sizeOfBlock() + inBlock(); i < units;
       i += threads) {
    long long rest = i, from = 0, to = 0;
    for (int d = mostDimensions - 1; d >= 0; --d) {
      const long long size = piece.sizes[d];
      if (size == 1)
        continue;
      const long long at = rest % size;
      rest /= size;
      from += at * piece.fromStrides[d];
      to += at * piece.toStrides[d];
    }
    reinterpret_cast<Unit *>(piece.to)[to] =
        reinterpret_cast<const Unit *>(piece.from)[from];
  }
}

} // namespace smex::cuda

#endif
