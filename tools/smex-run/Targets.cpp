#include "tools/smex-run/Targets.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "runtime/executor/Report.h"
#include "runtime/transports/mpi/Status.h"

#include <cstdio>

using namespace smex;
using namespace smex::runtime;
using tools::Targets;

Status Targets::open(const RunIdentity &identity, RunOptions &options,
                     PlanParameters &parameters) {
  Status opened;
  if (!world || world->isFirst()) {
    opened = openCheckpoints(identity, options, parameters);
    if (opened)
      opened = openFiles(options);
  }
  if (!world)
    return opened;
  const auto all = world->gather(mpi::encode(opened));
  if (!all)
    return all.error();
  if (Status first = mpi::decode(all->front()); !first)
    return first;
  return shareCheckpoint(options, parameters);
}

Status Targets::openCheckpoints(const RunIdentity &identity,
                                RunOptions &options,
                                PlanParameters &parameters) {
  if (arguments.checkpoints.empty())
    return {};
  auto opened =
      CheckpointFolder::open(program, arguments.checkpoints, identity,
                             arguments.checkpointEvery, options.steps);
  if (!opened)
    return opened.takeError();
  checkpoints = std::move(*opened);
  options.sinks.push_back(checkpoints.get());
  if (rebalance) {
    movingSink.emplace(*checkpoints, *rebalance);
    options.sinks.back() = &*movingSink;
  }
  if (!arguments.resume) {
    if (!checkpoints->isEmpty())
      return fail(checkpoints->file(), ": is there already: go on from it "
                                       "with --resume, or remove it");
    return {};
  }
  auto last = checkpoints->last();
  if (!last)
    return last.takeError();
  if (*last) {
    options.firstStep = (*last)->completed;
    resumed = (*last)->values.bytes();
    parameters.replace(std::move((*last)->values));
    std::printf("resumes after step %d\n", options.firstStep);
  } else {
    print(arguments.checkpoints +
          ": no checkpoint there yet: starts from the beginning\n");
  }
  std::fflush(stdout); // a log says it even if this run is killed
  return {};
}

Status Targets::openFiles(RunOptions &options) {
  for (const std::string &file :
       {arguments.metrics, arguments.trace, arguments.profile})
    if (!file.empty())
      if (Status writable = StagedFile::probe(file); !writable)
        return writable;
  if (!arguments.saveParameters.empty()) {
    auto opened =
        ParameterFile::open(program, arguments.saveParameters, options.steps);
    if (!opened)
      return opened.takeError();
    saved.emplace(std::move(*opened));
    options.sinks.push_back(&*saved);
  }
  const bool nothingLeft = options.firstStep >= options.steps;
  if (!arguments.outputDirectory.empty() && !nothingLeft) {
    if (auto names = outputFiles(program.outputs); !names)
      return names.takeError();
    auto opened = OutputFolder::open(arguments.outputDirectory);
    if (!opened)
      return opened.takeError();
    folder.emplace(std::move(*opened));
  }
  return {};
}

/// The others go on from the first one's checkpoint.
Status Targets::shareCheckpoint(RunOptions &options,
                                PlanParameters &parameters) {
  const auto all = world->gather(
      world->isFirst() ? encode(options.firstStep, resumed) : mpi::Bytes());
  if (!all)
    return all.error();
  if (world->isFirst())
    return {};
  auto sent = decodeCheckpoint(all->front());
  if (!sent)
    return sent.takeError();
  options.firstStep = sent->completed;
  if (sent->values)
    parameters.replace(std::move(*sent->values));
  const auto follow = [&](std::function<bool(int)> wanted) {
    followed.push_back(std::make_unique<FollowingSink>(std::move(wanted)));
    options.sinks.push_back(followed.back().get());
  };
  const int every = arguments.checkpointEvery, steps = options.steps;
  if (!arguments.checkpoints.empty())
    follow([every, steps](int completed) {
      return CheckpointFolder::wants(completed, every, steps);
    });
  if (!arguments.saveParameters.empty())
    follow([steps](int completed) { return completed == steps; });
  return {};
}
