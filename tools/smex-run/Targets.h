// Where a run writes, opened before any work, so that an error comes first; and
// the checkpoint that it goes on from.
#ifndef SMEX_TOOLS_SMEX_RUN_TARGETS_H
#define SMEX_TOOLS_SMEX_RUN_TARGETS_H

#include "runtime/executor/Checkpoint.h"
#include "runtime/executor/OutputFolder.h"
#include "tools/smex-run/Processes.h"
#include "tools/smex-run/Rebalance.h"
#include "tools/smex-run/Run.h"

namespace smex::tools {

/// Of several processes, the first one writes all files. The others want
/// parameters after the same steps.
class Targets {
public:
  /// All outlive it; `world` and `rebalance` may be null.
  Targets(const RunArguments &arguments, const plan::Program &program,
          mpi::World *world, const Rebalance *rebalance)
      : arguments(arguments), program(program), world(world),
        rebalance(rebalance) {}

  /// Adds sinks of parameters to `options`, which this outlives. With --resume,
  /// `options` begins after the last checkpoint, and `parameters` are its.
  /// `identity`: what a checkpoint must be of. Errors, the same in all
  /// processes: a place that cannot be written, a folder that has checkpoints
  /// already, a checkpoint of something else.
  Status open(const runtime::RunIdentity &identity,
              runtime::RunOptions &options,
              runtime::PlanParameters &parameters);

private:
  Status openCheckpoints(const runtime::RunIdentity &identity,
                         runtime::RunOptions &options,
                         runtime::PlanParameters &parameters);
  Status openFiles(runtime::RunOptions &options);
  Status shareCheckpoint(runtime::RunOptions &options,
                         runtime::PlanParameters &parameters);

  const RunArguments &arguments;
  const plan::Program &program;
  mpi::World *const world;
  const Rebalance *const rebalance;
  std::unique_ptr<runtime::CheckpointFolder> checkpoints;
  std::optional<MovingSink> movingSink;
  std::string_view resumed; // the checkpoint's file
  std::optional<runtime::ParameterFile> saved;
  std::vector<std::unique_ptr<FollowingSink>> followed;
  std::optional<runtime::OutputFolder> folder;
};

} // namespace smex::tools

#endif
