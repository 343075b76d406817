// What a machine means for a compilation: which searches are tried, what each
// of their plans takes there, and what fits.
#ifndef SMEX_COMPILER_PIPELINE_ONMACHINE_H
#define SMEX_COMPILER_PIPELINE_ONMACHINE_H

#include "compiler/machine/Machine.h"
#include "compiler/machine/Profile.h"
#include "compiler/memory/Passes.h"
#include "compiler/offload/ir/Passes.h"
#include "compiler/partition/Alternatives.h"
#include "compiler/pipeline/ListOrder.h"
#include "compiler/pipeline/MemoryLimit.h"
#include "runtime/plan/Plan.h"

namespace smex::pipeline {

/// Options of the passes that make a program of decisions.
struct ExecOptions {
  offload::MoveToHostOptions offload;
  std::shared_ptr<const machines::Machine> offloadOn;
  memory::OverlapTransfersOptions overlap;
  memory::PlanMemoryOptions memory;
  ListOrder order = ListOrder::FetchedLate;
  /// Whether libraries may do maps as epilogues of products.
  bool epilogues = false;
  /// What says which rows are read of others, and so are fetched.
  analysis::NamedLists known;
};

/// Predicted seconds of a step. Not simulated as a whole: copies are rated by
/// their bytes, with none hidden.
struct StepTime {
  double seconds = 0;
  bool isSimulated = true;
};

class OnMachine {
public:
  /// The first `gpus` GPUs of a machine, which stays alive. An error if it has
  /// fewer, or no way between two of them.
  static Result<OnMachine> of(const machines::Machine &machine, int64_t gpus);

  /// The one to begin with, and others. `hasSides`: of a model whose graph is
  /// partitioned.
  std::vector<partition::Search> searches(bool hasSides = false) const {
    return partition::searchesFor(site, hasSides);
  }
  /// Searches of every kind, for --algorithm auto: the first of searches(),
  /// data parallelism, placements, placements on groups within which tensors
  /// are cut, and placements within replicas.
  std::vector<partition::Search> allKinds() const;
  /// The rest of searches(), for where none of those keeps the limit on memory.
  std::vector<partition::Search> otherKinds(bool hasSides) const;
  /// How many plans of a model to compare: a few of a large one, so that
  /// compiling takes seconds. The same on any computer.
  int64_t enoughPlans(int64_t operators, bool hasSides = false) const;

  /// What the devices have.
  MemoryLimit memory() const;

  /// How long links and devices take, for overlapping, by the slowest device;
  /// and the most workspace that libraries take of a device, if any says so.
  ExecOptions execOptions() const;

  /// Of a step: simulated; of a plan with more than `mostFlows` copies between
  /// two workers, its computing simulated, and what its bytes take on their
  /// links beside it. `operators`: of the model. `known`: the model's lists,
  /// which say what edges each GPU has.
  Result<StepTime> stepTime(const plan::Partitioned &plan, int64_t operators,
                            const analysis::NamedLists &known,
                            double mostFlows = 1e7) const;

  /// From here on, steps take what was measured. `whole`: the unpartitioned
  /// program, by which an operator is told to take so many times as long as the
  /// description says; so do its parts. An error if the
  /// profile has none of its operators.
  Status measure(const machines::Profile &profile,
                 const plan::Partitioned &whole,
                 const analysis::NamedLists &known);

  /// For plan.json.
  plan::MachineInfo info(const plan::Partitioned &plan) const;

private:
  OnMachine(const machines::Machine &machine, partition::Site site)
      : machine(&machine), site(std::move(site)) {}

  double workers() const { return double(site.devices.size()); }

  const machines::Machine *machine;
  partition::Site site;
  std::unordered_map<std::string, double> slowdowns; // by tensor
};

} // namespace smex::pipeline

#endif
