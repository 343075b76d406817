// A box of a buffer, with zeros around it, as a library wants it that takes no
// such view: dense, aligned, padded on one side alone. Also makes zeros, where
// nothing is copied.
#ifndef SMEX_KERNELS_CUDA_PAD_H
#define SMEX_KERNELS_CUDA_PAD_H

#include "kernels/cuda/Device.h"
#include "kernels/cuda/Pieces.h"

namespace smex::cuda {

template <typename Unit> __device__ inline void pad(const PadPiece &piece) {
  long long units = 1;
  for (int d = 0; d < mostDimensions; ++d)
    units *= piece.sizes[d];
  for (long long i = thread(); i < units; i += threads()) {
    long long rest = i, from = 0, to = 0;
    bool isCopied = true;
    for (int d = mostDimensions - 1; d >= 0; --d) {
      const long long size = piece.sizes[d];
      const long long at = rest % size;
      rest /= size;
      isCopied = isCopied && piece.begin[d] <= at && at < piece.end[d];
      from += (at - piece.begin[d]) * piece.fromStrides[d];
      to += at * piece.toStrides[d];
    }
    reinterpret_cast<Unit *>(piece.to)[to] =
        isCopied ? reinterpret_cast<const Unit *>(piece.from)[from] : Unit(0);
  }
}

} // namespace smex::cuda

#endif
