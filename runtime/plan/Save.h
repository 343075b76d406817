// Writes a plan to disk: canonical text, hashes, and weights that pass through
// in pieces, so that a compiler never holds them in memory.
#ifndef SMEX_RUNTIME_PLAN_SAVE_H
#define SMEX_RUNTIME_PLAN_SAVE_H

#include "runtime/plan/Plan.h"

#include <cstddef>
#include <functional>

namespace smex::plan {

/// The values of `box` of parameter `parameter` (an index into
/// Program::parameters), dense and row-major. save() asks for a worker's share
/// in slabs of at most `weightSlabBytes`, in ascending order of coordinates,
/// and only for parameters that some worker stores.
using WeightSource = std::function<Result<std::vector<std::byte>>(
    int parameter, const Box &box)>;

constexpr int64_t weightSlabBytes = int64_t(16) << 20;

/// Gives every stored parameter a place in its workers' weight files, dense and
/// 64-byte aligned, in order of parameters. Replaces what `weights` held.
void layoutWeights(Partitioned &partitioned);

/// An error where save() would not replace what is there: somebody's data, or a
/// file. Whoever makes a plan asks first, and not when it has been made.
Status checkTarget(const std::string &directory);

/// Writes the plan to the folder `directory`, which appears as a whole, or
/// stays as it was if anything fails. A folder that exists is replaced only if
/// it is empty or holds a plan.json. A plan that load() would refuse is not
/// written: that is Fault::Defect, and the message is load()'s.
Status save(const Plan &plan, const std::string &directory,
            const WeightSource &weights = nullptr);

} // namespace smex::plan

#endif
