// Values that are not stored but drawn: from counters
// (dialects/support/Random.h), so that element e of a tensor is the same
// whoever draws it, in whatever order, under any partition.
#ifndef SMEX_RUNTIME_EXECUTOR_DRAW_H
#define SMEX_RUNTIME_EXECUTOR_DRAW_H

#include "dialects/support/Box.h"
#include "dialects/support/Tensor.h"

#include <string>

namespace smex::runtime {

/// Fills `to`, dense and row-major, with the box of a tensor. Floats are
/// uniform in [-scale, scale): the top 24 bits (f64: 53) make the fraction.
/// Integers and bool are 0 or 1, the top bit: small enough to be valid as
/// indices and labels; with a scale above 1 they are in [0, scale). A scale of
/// 0 gives zeros.
void draw(uint64_t seed, const std::string &name, const TensorType &type,
          double scale, const Box &box, std::byte *to);

/// Integers, uniform in [low, high]; both ends are of the type.
void drawRange(uint64_t seed, const std::string &name, int64_t low,
               int64_t high, Tensor &to);

} // namespace smex::runtime

#endif
