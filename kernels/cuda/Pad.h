// A box of a buffer, with zeros around it, as a library wants it that takes no
// such view: dense, aligned, padded on one side alone. Also makes zeros, where
// nothing is copied.
#ifndef SMEX_KERNELS_CUDA_PAD_H
#define SMEX_KERNELS_CUDA_PAD_H

#include "kernels/cuda/Device.h"
#include "kernels/cuda/Pieces.h"

namespace smex::cuda {

/// Where the element of a number is from, and where it is to be; false: it is
/// zero.
template <typename Number>
SMEX_INLINE bool placeInPad(const PadPiece &piece, Number i, long long &from,
                            long long &to) {
  bool isCopied = true;
  from = to = 0;
#pragma unroll
  for (int d = mostDimensions - 1; d >= 0; --d) {
    const Number size = Number(piece.sizes[d]);
    Number at = 0;
    if (size != 1) {
      at = i % size;
      i /= size;
    }
    isCopied = isCopied && piece.begin[d] <= (long long)at &&
               (long long)at < piece.end[d];
    from += ((long long)at - piece.begin[d]) * piece.fromStrides[d];
    to += (long long)at * piece.toStrides[d];
  }
  return isCopied;
}

/// Of a thread, `inFlight` loads are on their way before what they bring is
/// stored.
template <typename Unit, int inFlight, typename Number>
SMEX_INLINE void padUnits(const PadPiece &piece, Number units) {
  const auto *source = (const SMEX_GLOBAL Unit *)piece.from;
  auto *target = (SMEX_GLOBAL Unit *)piece.to;
  const Number all = Number(threads());
  for (Number i = Number(thread()); i < units; i += inFlight * all) {
    Unit values[inFlight];
    long long to[inFlight];
#pragma unroll
    for (int k = 0; k < inFlight; ++k) {
      long long from;
      const Number at = i + Number(k) * all;
      values[k] = Unit(0);
      if (at < units && placeInPad(piece, at, from, to[k]))
        values[k] = source[from];
    }
#pragma unroll
    for (int k = 0; k < inFlight; ++k)
      if (i + Number(k) * all < units)
        target[to[k]] = values[k];
  }
}

/// Numbers are of 32 bits where they can be, for a GPU takes a hundred
/// instructions to divide longer ones.
template <typename Unit> SMEX_INLINE void pad(const PadPiece &piece) {
  long long units = 1;
#pragma unroll
  for (int d = 0; d < mostDimensions; ++d)
    units *= piece.sizes[d];
  if (units < 1LL << 31 && threads() < 1LL << 28)
    padUnits<Unit, 4>(piece, unsigned(units));
  else
    padUnits<Unit, 1>(piece, (unsigned long long)units);
}

} // namespace smex::cuda

#endif
