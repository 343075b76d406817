// Where a run's parameters come from.
#ifndef SMEX_RUNTIME_EXECUTOR_PARAMETERS_H
#define SMEX_RUNTIME_EXECUTOR_PARAMETERS_H

#include "runtime/plan/Load.h"
#include "runtime/plan/Plan.h"

#include <memory>

namespace smex::runtime {

class ParameterSource {
public:
  virtual ~ParameterSource() = default;
  /// Writes worker `worker`'s share of a parameter, dense and row-major, to
  /// `to`. Workers call it at the same time.
  virtual Status fill(int worker, int parameter, std::byte *to) const = 0;
};

/// The parameters of a plan on disk: stored ones from the workers' weight
/// files, the others drawn from the seed.
class PlanParameters {
public:
  /// Maps the weight files and compares their hashes. `plan` must outlive it.
  static Result<PlanParameters>
  open(const plan::Plan &plan, const std::string &directory, uint64_t seed);

  /// For the partitioned program, and for the unpartitioned one, whose
  /// parameters are put together from the workers' shares.
  const ParameterSource &shares() const { return *partitioned; }
  const ParameterSource &whole() const { return *unpartitioned; }

private:
  PlanParameters() = default;
  std::unique_ptr<ParameterSource> partitioned, unpartitioned;
};

} // namespace smex::runtime

#endif
