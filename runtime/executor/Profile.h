// What operators took in a run: smex-run --profile, which smexc --profile reads
// in place of a machine's description of them.
#ifndef SMEX_RUNTIME_EXECUTOR_PROFILE_H
#define SMEX_RUNTIME_EXECUTOR_PROFILE_H

#include "runtime/executor/Executor.h"

namespace smex::runtime {

/// Whether some worker does an operator as a whole, so that a profile has it.
bool hasWholeOperators(const plan::Partitioned &partitioned);

/// schema/profile.schema.json: seconds by the name of what an operator
/// computes, the median over steps without the first one, which warms up. Of
/// operators that one worker has done as a whole: parts say nothing of it. The
/// run was made with a trace. `devices`: as in the metrics (Report.h).
std::string profileJson(const plan::Partitioned &partitioned,
                        const std::string &model, const std::string &backend,
                        const std::vector<std::string> &devices,
                        const RunResult &result);

} // namespace smex::runtime

#endif
