#include "tools/smex-run/Run.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "dialects/support/Sha256.h"
#include "runtime/executor/Checkpoint.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/Samples.h"
#include "runtime/executor/Verify.h"
#include "runtime/plan/Load.h"
#include "tools/smex-run/Progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace smex;
using namespace smex::runtime;
using tools::RunArguments;

namespace {
/// "1.50 GiB", "512 B"
std::string human(int64_t bytes) {
  double value = double(bytes);
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof text, unit ? "%.2f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

/// The first dimension of the first input.
int64_t samplesOf(const plan::Program &program) {
  if (program.inputs.empty())
    return 1;
  const int buffer = program.inputs.front().buffer;
  const auto &shape =
      program.tensors[size_t(program.buffers[size_t(buffer)].tensor)]
          .type.shape;
  return shape.empty() ? 1 : shape.front();
}

/// One run of a plan, from its options to what it leaves behind.
class Job {
public:
  Job(RunArguments given, plan::Plan loaded, std::unique_ptr<Backend> backend)
      : arguments(std::move(given)), options(arguments.run),
        plan(std::move(loaded)), backend(std::move(backend)) {}

  Status run() {
    for (Status (Job::*part)() :
         {&Job::openFeeds, &Job::openParameters, &Job::openCheckpoints,
          &Job::openTargets, &Job::execute})
      if (Status done = (this->*part)(); !done)
        return done;
    if (nothingLeft()) {
      print(plan.modelName);
      std::printf(": all of %d steps were done before, so there are no "
                  "outputs\n",
                  options.steps);
      return report();
    }
    summarize();
    if (arguments.verify)
      if (Status same = verify(); !same)
        return same;
    return report();
  }

private:
  /// Each step works on something of the graph.
  bool isSampled() const { return portion() != Portion::Whole; }
  Portion portion() const {
    if (arguments.parts > 0)
      return Portion::Parts;
    if (arguments.walk > 0)
      return Portion::Walks;
    return arguments.fanouts.empty() ? Portion::Whole : Portion::Samples;
  }

  bool nothingLeft() const { return options.firstStep >= options.steps; }

  Status openFeeds() {
    const plan::Program &program = plan.partitioned.program;
    if (!arguments.graphs.empty()) {
      auto read = readRunGraphs(program, arguments.graphs, portion());
      if (!read)
        return read.takeError();
      graphs = std::move(*read);
    }
    auto next = nextInputs(program, arguments.feeds);
    if (!next)
      return next.takeError();
    options.next = std::move(*next);
    auto read =
        readInputs(program, arguments.inputs, options.steps, arguments.seed,
                   graphs, plan.edgeOrders, options.next);
    if (read && isSampled())
      read = sampleFeeds(program, std::exchange(graphs, {}), std::move(*read),
                         {arguments.fanouts, arguments.batch, arguments.seed,
                          arguments.parts, arguments.walk});
    if (!read)
      return read.takeError();
    feeds = std::move(*read);
    // Large ones are held for the order of outputs only.
    if (std::all_of(program.graphs.begin(), program.graphs.end(),
                    [](const plan::GraphInputs &graph) {
                      return graph.edgeOutputs.empty();
                    }))
      graphs.clear();
    return {};
  }

  Status openParameters() {
    auto opened =
        PlanParameters::open(plan, arguments.directory, arguments.seed);
    if (!opened)
      return opened.takeError();
    parameters.emplace(std::move(*opened));
    if (arguments.parameters.empty())
      return {};
    auto file = io::Safetensors::open(arguments.parameters);
    if (!file)
      return file.takeError();
    if (Status fits =
            compareParameters(*file, plan.partitioned.program, isWeight);
        !fits)
      return fits;
    if (!arguments.checkpoints.empty())
      parametersSha256 = sha256(file->bytes());
    parameters->replace(std::move(*file));
    return {};
  }

  Status openCheckpoints() {
    if (arguments.checkpoints.empty())
      return {};
    auto opened = CheckpointFolder::open(
        plan.partitioned.program, arguments.checkpoints,
        {plan.modelSha256, arguments.seed, parametersSha256},
        arguments.checkpointEvery, options.steps);
    if (!opened)
      return opened.takeError();
    checkpoints = std::move(*opened);
    options.sinks.push_back(checkpoints.get());
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
      parameters->replace(std::move((*last)->values));
      std::printf("resumes after step %d\n", options.firstStep);
    } else {
      print(arguments.checkpoints +
            ": no checkpoint there yet: starts from the beginning\n");
    }
    std::fflush(stdout); // a log says it even if this run is killed
    return {};
  }

  Status openTargets() {
    for (const std::string &file : {arguments.metrics, arguments.trace})
      if (!file.empty())
        if (Status writable = StagedFile::probe(file); !writable)
          return writable;
    if (!arguments.saveParameters.empty()) {
      auto opened = ParameterFile::open(
          plan.partitioned.program, arguments.saveParameters, options.steps);
      if (!opened)
        return opened.takeError();
      saved.emplace(std::move(*opened));
      options.sinks.push_back(&*saved);
    }
    if (!arguments.outputDirectory.empty() && !nothingLeft()) {
      if (auto names = outputFiles(plan.partitioned.program.outputs); !names)
        return names.takeError();
      auto opened = OutputFolder::open(arguments.outputDirectory);
      if (!opened)
        return opened.takeError();
      folder.emplace(std::move(*opened));
    }
    return {};
  }

  Status execute() {
    std::optional<tools::ProgressLine> line;
    if (isTraining()) {
      line.emplace(options.steps, samplesOf(plan.partitioned.program));
      options.progress = [&](const Progress &progress) {
        line->show(progress);
      };
    }
    auto ran = runtime::execute(plan.partitioned, plan.code, *backend,
                                parameters->shares(), feeds, options);
    options.progress = nullptr;
    if (!ran)
      return ran.takeError();
    result = std::move(*ran);
    return {};
  }

  std::vector<std::string> devices() const {
    return backend->devices(int(plan.partitioned.workers.size()));
  }

  bool isTraining() const {
    const auto &all = plan.partitioned.program.parameters;
    return std::any_of(all.begin(), all.end(), isCarried);
  }

  void summarize() const {
    const size_t gpus = plan.partitioned.workers.size();
    const auto [first, last] =
        std::minmax_element(result.seconds.begin(), result.seconds.end());
    print(plan.modelName);
    std::printf(": ran on %s", backend->name().c_str());
    if (const auto names = devices(); !names.empty())
      std::printf(" (%zu x %s)", names.size(), names.front().c_str());
    std::printf(" as %zu %s", gpus, gpus == 1 ? "worker" : "workers");
    if (result.seconds.size() == 1)
      std::printf(", %.3f s\n", *first);
    else
      std::printf(", %zu steps of %.3f to %.3f s\n", result.seconds.size(),
                  *first, *last);
    if (options.skipCopies) {
      std::printf("copies were skipped: only the times mean anything\n");
      return;
    }
    std::printf("communication %s per step, peak %s per GPU\n",
                human(result.communicationBytes).c_str(),
                human(*std::max_element(result.peakBytes.begin(),
                                        result.peakBytes.end()))
                    .c_str());
    if (!result.losses.empty())
      std::printf("loss %.6g in step %d, %.6g in step %d\n",
                  result.losses.front(), options.firstStep + 1,
                  result.losses.back(), options.steps);
  }

  /// The same on one worker.
  Status verify() {
    auto cpu = makeBackend("cpu");
    const auto same = feedsFor(plan.unpartitioned.program,
                               plan.partitioned.program, std::move(feeds));
    if (!same)
      return same.error();
    RunOptions alone = options;
    alone.device.trace = false;
    alone.sinks.clear();
    auto next = nextInputs(plan.unpartitioned.program, arguments.feeds);
    if (!next)
      return next.takeError();
    alone.next = std::move(*next);
    const auto whole = runtime::execute(plan.unpartitioned, plan.code, **cpu,
                                        parameters->whole(), *same, alone);
    if (!whole)
      return whole.error();
    const auto verified = runtime::verify(plan, result, *whole);
    if (!verified)
      return verified.error();
    print("verified: " + *verified + "\n");
    return {};
  }

  Status report() {
    if (Status ordered = orderOutputs(plan.partitioned.program, graphs,
                                      plan.edgeOrders, result.outputs);
        !ordered)
      return ordered;
    if (!arguments.outputDirectory.empty() && !nothingLeft()) {
      const auto files = writeOutputs(arguments.outputDirectory,
                                      plan.partitioned.program.outputs, result);
      if (!files)
        return files.error();
      for (const std::string &file : *files)
        print("wrote " + file + "\n");
    }
    if (!arguments.metrics.empty())
      if (Status s = writeFile(arguments.metrics,
                               metricsJson(backend->name(), devices(), result,
                                           options.firstStep));
          !s)
        return s;
    if (!arguments.trace.empty())
      return writeFile(arguments.trace,
                       traceJson(plan.partitioned.program, result));
    return {};
  }

  const RunArguments arguments;
  RunOptions options;
  const plan::Plan plan;
  std::unique_ptr<Backend> backend;
  std::vector<RunGraph> graphs; // whole ones
  std::vector<Feed> feeds;
  std::optional<PlanParameters> parameters;
  std::string parametersSha256;
  std::unique_ptr<CheckpointFolder> checkpoints;
  std::optional<ParameterFile> saved;
  std::optional<OutputFolder> folder;
  RunResult result;
};
} // namespace

Status tools::run(RunArguments arguments) {
  // The weights are hashed when they are mapped.
  auto plan = plan::load(arguments.directory, {false});
  if (!plan)
    return plan.takeError();
  auto backend = backendFor(arguments.backend, *plan);
  if (!backend)
    return backend.takeError();
  if (arguments.verify && plan->unpartitioned.workers.empty())
    return fail(arguments.directory,
                ": has no unpartitioned program to verify with");
  return Job(std::move(arguments), std::move(*plan), std::move(*backend)).run();
}
