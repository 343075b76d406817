// Where a run's parameters come from.
#ifndef SMEX_RUNTIME_EXECUTOR_PARAMETERS_H
#define SMEX_RUNTIME_EXECUTOR_PARAMETERS_H

#include "runtime/io/Safetensors.h"
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

  /// From now on, parameters that the file has come from there; see
  /// compareParameters for what it must be.
  void replace(io::Safetensors file);

  /// For the partitioned program, and for the unpartitioned one, whose
  /// parameters are put together from the workers' shares.
  const ParameterSource &shares() const { return *partitioned; }
  const ParameterSource &whole() const { return *unpartitioned; }

private:
  explicit PlanParameters(const plan::Plan &plan) : plan(&plan) {}
  const plan::Plan *plan;
  std::unique_ptr<ParameterSource> partitioned, unpartitioned;
};

/// Does the file have every parameter that is `needed`, and nothing but the
/// program's parameters, of their types?
Status compareParameters(const io::Safetensors &file,
                         const plan::Program &program,
                         bool (*needed)(const plan::Parameter &));

/// The model's own, of which --parameters and --save-parameters speak.
inline bool isWeight(const plan::Parameter &parameter) {
  return !parameter.state && !parameter.constant;
}
/// What a step changes, and a checkpoint holds.
inline bool isCarried(const plan::Parameter &parameter) {
  return parameter.next >= 0;
}

} // namespace smex::runtime

#endif
