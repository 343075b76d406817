// Models through the whole product, in one process: what `smexc`, `smexc check`
// and `smex-run` do one after the other.
#ifndef SMEX_TEST_END_TO_END_HARNESS_H
#define SMEX_TEST_END_TO_END_HARNESS_H

#include "compiler/frontend/Model.h"
#include "runtime/executor/Executor.h"

#include <functional>
#include <map>
#include <string>

namespace smex::test {

/// Compiles for so many GPUs, writes the plan to disk, loads it again and runs
/// it on the CPU. All outputs, by name. An error, with a line for each: a
/// finding of plan::check, communication or peak bytes that are not the plan's,
/// and whatever any stage reports.
Result<std::map<std::string, Tensor>>
runPartitioned(const frontend::Model &model,
               const std::map<std::string, Tensor> &inputs, int64_t gpus);

/// How a loaded plan is run.
using Execution = std::function<Result<runtime::RunResult>(
    const plan::Plan &, const runtime::ParameterSource &,
    const std::vector<runtime::Feed> &)>;

/// The same with code for these targets, by whatever runs it. `kept`: a folder
/// for the plan, which stays there, and is taken from there if it is there; for
/// callers that give it one for each model, GPUs and targets.
Result<std::map<std::string, Tensor>>
runPartitioned(const frontend::Model &model,
               const std::map<std::string, Tensor> &inputs, int64_t gpus,
               const std::vector<std::string> &targets,
               const Execution &execute, const std::string &kept = {});

/// A folder of this test's own, under $TEST_TMPDIR.
std::string scratchFolder();

} // namespace smex::test

#endif
