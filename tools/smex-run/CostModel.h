// smex-run --cost-model: what the layers of a graph network took, fitted while
// they run, in a file that outlives the run.
#ifndef SMEX_TOOLS_SMEX_RUN_COSTMODEL_H
#define SMEX_TOOLS_SMEX_RUN_COSTMODEL_H

#include "runtime/balance/LayerTimes.h"
#include "runtime/executor/Feed.h"
#include "runtime/executor/Parameters.h"

namespace smex::tools {

class CostModel {
public:
  /// `plan` outlives it. Goes on with the fit of `file`, where that is there.
  /// Errors: a plan that passes no messages, or on another graph in each step;
  /// a file that is no model of this network, or that cannot be written.
  static Result<std::unique_ptr<CostModel>>
  open(const plan::Plan &plan, const runtime::ParameterSource &parameters,
       const std::vector<runtime::Feed> &feeds, int firstStep,
       const std::string &file);

  /// The first step of a run warms up: it counts only where there is no other.
  void add(std::vector<runtime::TraceEvent> step);
  /// The same of a whole run, whose events are in the order of steps.
  void addAll(const std::vector<runtime::TraceEvent> &run);
  /// After the last step.
  void finish();

  const balance::LayerTimes &times() const { return *layers; }
  /// Writes the file, unless nothing was fitted. Errors: a place that cannot be
  /// written.
  Status save() const;
  /// What was measured, on lines of their own.
  std::string summary() const;

private:
  CostModel() = default;
  std::string file;
  std::unique_ptr<balance::LayerTimes> layers;
  std::vector<runtime::TraceEvent> first; // step, that warmed up
  int64_t steps = 0;
};

} // namespace smex::tools

#endif
