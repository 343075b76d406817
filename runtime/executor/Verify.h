// Is what a run gave what it should be?
#ifndef SMEX_RUNTIME_EXECUTOR_VERIFY_H
#define SMEX_RUNTIME_EXECUTOR_VERIFY_H

#include "runtime/executor/Executor.h"

namespace smex::runtime {

/// Compares every output with the unpartitioned run's (see io::compare), and
/// the bytes that were measured with those that the plan predicts. One line
/// that says how equal they are, or a Fault::Difference with a line per
/// difference.
Result<std::string> verify(const plan::Plan &plan, const RunResult &partitioned,
                           const RunResult &unpartitioned);

} // namespace smex::runtime

#endif
