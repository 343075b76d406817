// Fetch and reduce on the CPU: boxes copied from one dense buffer to another,
// and partial results combined element by element.
#ifndef SMEX_KERNELS_CPU_BOXES_H
#define SMEX_KERNELS_CPU_BOXES_H

#include "dialects/support/Box.h"
#include "dialects/support/DType.h"

#include <cstddef>
#include <string_view>

namespace smex::cpu {

enum class Reduction { Sum, Max, Min, Prod };

/// "Sum", "Max", "Min", "Prod", as plans spell them.
std::optional<Reduction> parseReduction(std::string_view name);

/// to[box] = from[box]. Both buffers are dense row-major boxes that contain
/// `box`, and do not overlap in memory.
void copyBox(std::byte *to, const Box &toBox, const std::byte *from,
             const Box &fromBox, const Box &box, int64_t elementBytes);

/// to[box] = to[box] (op) from[box]. Max and Min give NaN where either is;
/// integers wrap; 16-bit floats are rounded once.
void combineBox(Reduction reduction, DType type, std::byte *to,
                const Box &toBox, const std::byte *from, const Box &fromBox,
                const Box &box);

/// to[box] = from[box], rounded to `type`. `to` is a dense row-major box that
/// contains `box`, `from` is `box` itself.
void roundBox(DType type, std::byte *to, const Box &toBox, const float *from,
              const Box &box);

/// Cuts a box into slabs of about `elements` elements, along the outermost
/// dimension that has anything to cut, in order: work for several threads.
std::vector<Box> slabs(const Box &box, int64_t elements);

/// Cuts a box into boxes of at most `elements` elements, in order.
std::vector<Box> tiles(const Box &box, int64_t elements);

} // namespace smex::cpu

#endif
