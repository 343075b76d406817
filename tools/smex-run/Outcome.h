// What a run says and writes when it has ended.
#ifndef SMEX_TOOLS_SMEX_RUN_OUTCOME_H
#define SMEX_TOOLS_SMEX_RUN_OUTCOME_H

#include "runtime/executor/Report.h"
#include "runtime/plan/Plan.h"
#include "tools/smex-run/Inputs.h"
#include "tools/smex-run/Run.h"

namespace smex::tools {

struct Outcome {
  const RunArguments &arguments;
  const plan::Plan &plan;
  std::string backend;
  std::vector<std::string> devices; // of all processes
  runtime::RunResult result;
  int firstStep = 0; // RunOptions::firstStep
  std::optional<runtime::MeasuredBalance> balance;
  std::string costs; // CostModel::summary()

  /// Nothing was left to do: a checkpoint was of the last step already.
  bool isNothing() const { return result.seconds.empty(); }
};

/// A line or more on standard output.
void summarize(const Outcome &outcome);

/// The files that the command line asks for. Outputs come in the order of the
/// files that the run read, not in the plan's. Errors: files that cannot be
/// written.
Status write(Outcome &outcome, const Inputs &inputs);

} // namespace smex::tools

#endif
