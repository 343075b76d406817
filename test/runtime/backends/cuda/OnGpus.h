// A plan's program on GPUs that are emulated, by one process or by several,
// which are executions of this one, each with GPUs of its own.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CUDA_ONGPUS_H
#define SMEX_TEST_RUNTIME_BACKENDS_CUDA_ONGPUS_H

#include "runtime/executor/Executor.h"
#include "runtime/plan/Load.h"

#include <vector>

namespace smex::test {

/// What became of it in each process. There are as many of these as workers at
/// most; worker w of W is in process w * P / W.
std::vector<Result<runtime::RunResult>>
runOnGpus(const plan::Partitioned &partitioned, const plan::Code &code,
          const runtime::ParameterSource &parameters,
          const std::vector<runtime::Feed> &feeds,
          const runtime::RunOptions &options, size_t processes);

/// Tells the emulated driver which buffers the launches of the next run are
/// given (KnownLaunches.h), so that a kernel that runs into the neighbouring
/// one is found. False: the driver is none that can be told.
bool knowLaunches(const plan::Partitioned &partitioned,
                  const plan::Artifact &artifact, size_t gpus);
/// The same where the process has these workers alone.
bool knowLaunches(const plan::Partitioned &partitioned,
                  const plan::Artifact &artifact, size_t gpus,
                  const std::vector<int> &workers);
/// That nothing is known of them.
bool forgetLaunches();

} // namespace smex::test

#endif
