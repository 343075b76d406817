// Inputs of integers that say where something is read are looked at before a
// run: kernels do not look again.
#ifndef SMEX_RUNTIME_EXECUTOR_RANGES_H
#define SMEX_RUNTIME_EXECUTOR_RANGES_H

#include "runtime/plan/Plan.h"

namespace smex::runtime {

/// Whether the first `count` elements are in the port's ranges, if it has any;
/// the error begins with `what`, which says where they are from. The tensor has
/// the rank of the port's, or one more where it has a value per step.
Status checkRange(const plan::Port &port, const std::string &what,
                  const Tensor &tensor, int64_t count);

/// Integers from the seed and the port's name that are in all ranges of the
/// port; where it has none, 0 or 1.
void drawInput(uint64_t seed, const plan::Port &port, Tensor &to);

} // namespace smex::runtime

#endif
