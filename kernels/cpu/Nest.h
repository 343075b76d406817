// Nested loops over N strided arrays at once: what copies, reductions and the
// plain library kernels are made of.
#ifndef SMEX_KERNELS_CPU_NEST_H
#define SMEX_KERNELS_CPU_NEST_H

#include "dialects/support/Box.h"
#include "dialects/support/Tensor.h"

#include <array>
#include <vector>

namespace smex::cpu {

/// One loop: how far each array moves per iteration, in elements.
template <size_t N> struct Loop {
  int64_t extent = 1;
  std::array<int64_t, N> strides{};
};

/// Outermost first.
template <size_t N> using Nest = std::vector<Loop<N>>;
template <size_t N> using Offsets = std::array<int64_t, N>;

/// Drops loops of one iteration and makes one loop of two neighbours that are
/// contiguous in every array, so that inner loops get long.
template <size_t N> void simplify(Nest<N> &nest) {
  Nest<N> merged;
  for (const Loop<N> &loop : nest) {
    if (loop.extent == 1)
      continue;
    bool contiguous = !merged.empty();
    for (size_t i = 0; contiguous && i < N; ++i)
      contiguous = merged.back().strides[i] == loop.strides[i] * loop.extent;
    if (contiguous)
      merged.back() = {merged.back().extent * loop.extent, loop.strides};
    else
      merged.push_back(loop);
  }
  nest = std::move(merged);
}

/// Calls `body(offsets)` for every iteration, in order.
template <size_t N, typename F>
void forEach(const Nest<N> &nest, Offsets<N> offsets, F &&body) {
  for (const Loop<N> &loop : nest)
    if (loop.extent <= 0)
      return;
  std::vector<int64_t> at(nest.size(), 0);
  for (;;) {
    body(offsets);
    size_t d = nest.size();
    for (; d-- > 0;) {
      for (size_t i = 0; i < N; ++i)
        offsets[i] += nest[d].strides[i];
      if (++at[d] < nest[d].extent)
        break;
      for (size_t i = 0; i < N; ++i)
        offsets[i] -= nest[d].strides[i] * nest[d].extent;
      at[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

/// The elements of `box` in N dense row-major buffers, each a box that contains
/// it; `start` gets the offset of the first element in each.
template <size_t N>
Nest<N> nestOf(const Box &box, const std::array<const Box *, N> &buffers,
               Offsets<N> &start) {
  Nest<N> nest(box.size());
  for (size_t i = 0; i < N; ++i) {
    const auto strides = rowMajorStrides(extents(*buffers[i]));
    start[i] = 0;
    for (size_t d = 0; d < box.size(); ++d) {
      nest[d].extent = box[d].size();
      nest[d].strides[i] = strides[d];
      start[i] += (box[d].lo - (*buffers[i])[d].lo) * strides[d];
    }
  }
  simplify(nest);
  return nest;
}

} // namespace smex::cpu

#endif
