// What a run reads for its steps: inputs, graphs, and how each step draws of
// these.
#ifndef SMEX_TOOLS_SMEX_RUN_INPUTS_H
#define SMEX_TOOLS_SMEX_RUN_INPUTS_H

#include "runtime/executor/Executor.h"
#include "runtime/executor/Sampler.h"
#include "tools/smex-run/Identity.h"
#include "tools/smex-run/Run.h"

namespace smex::tools {

struct Inputs {
  std::vector<runtime::Feed> feeds;
  std::vector<runtime::NextInput> next;  // that outputs feed
  std::vector<runtime::RunGraph> graphs; // whole ones that order outputs
  runtime::Sampling sampling;
};

/// What is read is added to `identity`, unless that is null. Errors: options
/// that make no sense for this plan; files that cannot be read or do not fit.
Result<Inputs> openInputs(const RunArguments &arguments, const plan::Plan &plan,
                          Identity *identity);

} // namespace smex::tools

#endif
