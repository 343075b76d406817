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

/// Where the unit of a number is, in a piece of one run.
struct PlaceInRun {
  SMEX_INLINE void operator()(unsigned i, long long &from,
                              long long &to) const {
    from = to = i;
  }
};

/// The same in any piece. Numbers of 32 bits, for a GPU takes a hundred
/// instructions to divide longer ones.
struct PlaceInBox {
  const FetchPiece &piece;
  SMEX_INLINE void operator()(unsigned i, long long &from,
                              long long &to) const {
    const unsigned run = unsigned(piece.sizes[mostDimensions - 1]);
    unsigned rest = i / run;
    from = to = i % run;
    for (int d = mostDimensions - 2; d >= 0 && rest > 0; --d) {
      const unsigned size = unsigned(piece.sizes[d]), at = rest % size;
      rest /= size;
      from += at * piece.fromStrides[d];
      to += at * piece.toStrides[d];
    }
  }
};

/// The units i, i + threads, and so on, `count` of them, or, where some are
/// not there, those that are: all are on their way before the first is stored,
/// which is what keeps the memory busy.
template <bool areAllThere, int count, typename Unit, typename Place>
SMEX_INLINE void
fetchUnits(const SMEX_GLOBAL Unit *source, SMEX_GLOBAL Unit *target, unsigned i,
           unsigned threads, unsigned units, const Place &place) {
  Unit values[count];
  long long to[count];
#pragma unroll
  for (int k = 0; k < count; ++k)
    if (areAllThere || i + unsigned(k) * threads < units) {
      long long from;
      place(i + unsigned(k) * threads, from, to[k]);
      values[k] = source[from];
    }
#pragma unroll
  for (int k = 0; k < count; ++k)
    if (areAllThere || i + unsigned(k) * threads < units)
      target[to[k]] = values[k];
}

template <typename Unit, int inFlight, typename Place>
SMEX_INLINE void fetchPiece(const FetchPiece &piece, unsigned units,
                            const Place &place) {
  const auto *source = (const SMEX_GLOBAL Unit *)piece.from;
  auto *target = (SMEX_GLOBAL Unit *)piece.to;
  const unsigned threads = unsigned(rows() * sizeOfBlock());
  unsigned i = unsigned(row() * sizeOfBlock() + inBlock());
  // No sum exceeds 32 bits: a piece has fewer than 2^31 units, and a column of
  // the grid no more than 2^26 threads.
  for (; i + (inFlight - 1) * threads < units; i += inFlight * threads)
    fetchUnits<true, inFlight>(source, target, i, threads, units, place);
  if (i < units)
    fetchUnits<false, inFlight>(source, target, i, threads, units, place);
}

/// `inFlight`: of a run, the shorter units are, the more.
template <typename Unit, int inFlight>
SMEX_INLINE void fetch(const FetchPiece *pieces) {
  const FetchPiece &piece = pieces[block()];
  const long long run = piece.sizes[mostDimensions - 1];
  long long units = run;
  for (int d = 0; d < mostDimensions - 1; ++d)
    units *= piece.sizes[d];
  if (units == run)
    fetchPiece<Unit, inFlight>(piece, unsigned(units), PlaceInRun{});
  else
    fetchPiece<Unit, 4>(piece, unsigned(units), PlaceInBox{piece});
}

} // namespace smex::cuda

#endif
