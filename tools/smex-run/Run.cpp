#include "tools/smex-run/Run.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "dialects/support/Sha256.h"
#include "runtime/executor/Checkpoint.h"
#include "runtime/executor/Profile.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/Samples.h"
#include "runtime/executor/Verify.h"
#include "runtime/plan/Load.h"
#include "runtime/transports/mpi/Status.h"
#include "tools/smex-run/CostModel.h"
#include "tools/smex-run/Identity.h"
#include "tools/smex-run/Processes.h"
#include "tools/smex-run/Progress.h"
#include "tools/smex-run/Rebalance.h"

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

/// One run of a plan, from its options to what it leaves behind. Of several
/// processes that make it together, the first one speaks and writes files.
class Job {
public:
  /// `rebalance`: what the run does from plan to plan; null: it has one.
  Job(RunArguments given, plan::Plan loaded, std::unique_ptr<Backend> backend,
      mpi::World *world, tools::Rebalance *rebalance)
      : arguments(std::move(given)), options(arguments.run),
        plan(std::move(loaded)), backend(std::move(backend)), world(world),
        rebalance(rebalance) {}

  /// What every process reads for itself.
  Status open() {
    if (Status opened = openFeeds(); !opened)
      return opened;
    return openParameters();
  }

  Status run() {
    for (Status (Job::*part)() :
         {&Job::compare, &Job::openFiles, &Job::execute})
      if (Status done = (this->*part)(); !done)
        return done;
    if (!isFirst() || (rebalance && rebalance->isMoving()))
      return {};
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
    if (!arguments.sampleLayers.empty())
      return Portion::Layers;
    return arguments.sample.empty() ? Portion::Whole : Portion::Samples;
  }

  Status openSampling() {
    sampling.batch = arguments.batch;
    sampling.seed = arguments.seed;
    sampling.parts = arguments.parts;
    sampling.walk = arguments.walk;
    sampling.perLayer = !arguments.sampleLayers.empty();
    sampling.byImportance = arguments.importance;
    // A layer that reads nothing is none; all layers together are.
    auto fanouts =
        sampling.perLayer
            ? parseFanouts("--sample-layers", arguments.sampleLayers, 1)
            : parseFanouts("--sample", arguments.sample, 0);
    if (!fanouts)
      return fanouts.takeError();
    sampling.fanouts = std::move(fanouts->all);
    sampling.fanoutsOf = std::move(fanouts->named);
    if (arguments.nodes.empty())
      return {};
    return readNodes(plan.partitioned.program, arguments.nodes, sampling);
  }

  bool isFirst() const { return !world || world->isFirst(); }
  bool nothingLeft() const { return options.firstStep >= options.steps; }

  Status openFeeds() {
    const plan::Program &program = plan.partitioned.program;
    if (Status opened = openSampling(); !opened)
      return opened;
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
    if (read && world) {
      identity.add(program, *read);
      identity.add(graphs);
      identity.add(sampling);
    }
    if (read && isSampled())
      read = sampleFeeds(program, std::exchange(graphs, {}), std::move(*read),
                         sampling);
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
    if (!arguments.checkpoints.empty() || world)
      parametersSha256 = sha256(file->bytes());
    parameters->replace(std::move(*file));
    return {};
  }

  /// Before any process works: do all make the same run?
  Status compare() {
    if (!world)
      return {};
    const std::string file = arguments.directory + "/plan.json";
    const auto text = readFile(file);
    identity.add("the plan", text ? sha256(*text) : std::string());
    identity.add("--backend", backend->name());
    identity.add("--parameters", parametersSha256);
    identity.add(arguments);
    return identity.compare(*world);
  }

  /// What the first process alone writes, and reads again.
  Status openFiles() {
    Status opened;
    if (isFirst()) {
      opened = openCheckpoints();
      if (opened)
        opened = openTargets();
    }
    if (!world)
      return opened;
    const auto all = world->gather(mpi::encode(opened));
    if (!all)
      return all.error();
    if (Status first = mpi::decode(all->front()); !first)
      return first;
    return shareCheckpoint();
  }

  /// The others go on from the first one's checkpoint.
  Status shareCheckpoint() {
    const auto all = world->gather(
        isFirst() ? tools::encode(options.firstStep, resumed) : mpi::Bytes());
    if (!all)
      return all.error();
    if (isFirst())
      return {};
    auto sent = tools::decodeCheckpoint(all->front());
    if (!sent)
      return sent.takeError();
    options.firstStep = sent->completed;
    if (sent->values)
      parameters->replace(std::move(*sent->values));
    const auto follow = [&](std::function<bool(int)> wanted) {
      followed.push_back(
          std::make_unique<tools::FollowingSink>(std::move(wanted)));
      options.sinks.push_back(followed.back().get());
    };
    if (!arguments.checkpoints.empty())
      follow([this](int completed) {
        return CheckpointFolder::wants(completed, arguments.checkpointEvery,
                                       options.steps);
      });
    if (!arguments.saveParameters.empty())
      follow([this](int completed) { return completed == options.steps; });
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
    for (const std::string &file :
         {arguments.metrics, arguments.trace, arguments.profile})
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
    const auto workers = int(plan.partitioned.workers.size());
    if (Status found = findDevices(); !found)
      return found;
    std::optional<mpi::MpiTransport> transport;
    if (world) {
      const int first = options.firstStep;
      transport.emplace(*world, workers, queueCount,
                        [&, first](int worker, const auto &completed) {
                          return tools::nextInstruction(
                              plan.partitioned, worker, completed, first);
                        });
      options.process = Process{&*transport, transport->workers()};
      if (options.device.threads == 0)
        options.device.threads = tools::threadsPerWorker(*world, workers);
    }
    std::optional<tools::ProgressLine> line;
    if (isTraining() && isFirst()) {
      line.emplace(options.steps, samplesOf(plan.partitioned.program));
      options.progress = [&](const Progress &progress) {
        line->show(progress);
      };
    }
    Status opened = openCostModel();
    if (world)
      opened = world->agree(opened);
    if (!opened)
      return opened;
    if (rebalance) {
      rebalance->begin(options.firstStep);
      rebalance->arrive();
    }
    auto ran = runtime::execute(plan.partitioned, plan.code, *backend,
                                parameters->shares(), feeds, options);
    options.progress = nullptr;
    options.stepped = nullptr;
    options.process.reset();
    if (!ran)
      return ran.takeError();
    result = std::move(*ran);
    return closeCostModel();
  }

  Status openCostModel() {
    if (arguments.costModel.empty() || !isFirst())
      return {};
    auto opened =
        tools::CostModel::open(plan, parameters->shares(), feeds,
                               options.firstStep, arguments.costModel);
    if (!opened)
      return opened.takeError();
    costs = std::move(*opened);
    if (world) // whose other processes tell what they took after the last step
      return {};
    options.keepTrace = !arguments.trace.empty() || !arguments.profile.empty();
    options.stepped = [this](int completed,
                             const std::vector<TraceEvent> &step) {
      costs->add(step);
      return rebalance && rebalance->wantsMove(completed, costs->times());
    };
    return {};
  }

  Status closeCostModel() {
    if (costs) {
      if (world)
        costs->addAll(result.trace);
      costs->finish();
      if (Status saved = costs->save(); !saved)
        return saved;
    }
    if (!rebalance)
      return {};
    if (rebalance->isMoving())
      rebalance->keep(result);
    else
      rebalance->join(result);
    return {};
  }

  /// Of all plans of the run.
  int firstStep() const {
    return rebalance ? rebalance->firstStep(options.firstStep)
                     : options.firstStep;
  }

  std::optional<MeasuredBalance> balance() const {
    if (!costs || costs->times().timings() == 0)
      return std::nullopt;
    return MeasuredBalance{costs->times().imbalance(),
                           costs->times().predictedImbalance(),
                           rebalance ? rebalance->moves() : 0};
  }

  /// Of all processes.
  const std::vector<std::string> &devices() const { return deviceNames; }

  Status findDevices() {
    const int workers = int(plan.partitioned.workers.size());
    int own = 0;
    for (int w = 0; w < workers; ++w)
      own +=
          !world || mpi::processOf(w, workers, world->size()) == world->rank();
    deviceNames = backend->devices(own);
    if (!world)
      return {};
    mpi::Bytes bytes;
    for (const std::string &name : deviceNames)
      for (size_t c = 0; c <= name.size(); ++c)
        bytes.push_back(std::byte(name.c_str()[c]));
    const auto all = world->gather(std::move(bytes));
    if (!all)
      return all.error();
    deviceNames.clear();
    for (const mpi::Bytes &each : *all)
      for (size_t at = 0; at < each.size(); at += deviceNames.back().size() + 1)
        deviceNames.emplace_back(
            reinterpret_cast<const char *>(each.data() + at));
    return {};
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
    if (!result.hostTraffic.isNone())
      std::printf("moved %s to the host and %s back per step\n",
                  human(result.hostTraffic.toHost).c_str(),
                  human(result.hostTraffic.fromHost).c_str());
    if (costs)
      print(costs->summary());
    if (rebalance && rebalance->moves() > 0)
      std::printf("ranges of vertices moved %d times\n", rebalance->moves());
    if (!result.losses.empty())
      std::printf("loss %.6g in step %d, %.6g in step %d\n",
                  result.losses.front(), firstStep() + 1, result.losses.back(),
                  options.steps);
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
    alone.device.threads = arguments.run.device.threads;
    alone.sinks.clear();
    auto next = nextInputs(plan.unpartitioned.program, arguments.feeds);
    if (!next)
      return next.takeError();
    alone.next = std::move(*next);
    const auto whole = runtime::execute(plan.unpartitioned, plan.code, **cpu,
                                        parameters->whole(), *same, alone);
    if (!whole)
      return whole.error();
    // The other run begins where this plan has begun.
    if (rebalance)
      rebalance->part(result);
    const auto verified = runtime::verify(plan, result, *whole);
    if (rebalance)
      rebalance->join(result);
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
    if (Status kept =
            keepNodes(plan.partitioned.program, sampling, result.outputs);
        !kept)
      return kept;
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
                                           firstStep(), balance()));
          !s)
        return s;
    if (!arguments.trace.empty())
      if (Status s =
              writeFile(arguments.trace,
                        traceJson(plan.partitioned.program, devices(), result));
          !s)
        return s;
    if (!arguments.profile.empty())
      return writeFile(arguments.profile,
                       profileJson(plan.partitioned, plan.modelName,
                                   backend->name(), devices(), result));
    return {};
  }

  const RunArguments arguments;
  RunOptions options;
  const plan::Plan plan;
  std::unique_ptr<Backend> backend;
  mpi::World *const world;
  tools::Rebalance *const rebalance;
  std::unique_ptr<tools::CostModel> costs;
  std::optional<tools::MovingSink> movingSink;
  tools::Identity identity;
  Sampling sampling;
  std::vector<RunGraph> graphs; // whole ones
  std::vector<Feed> feeds;
  std::optional<PlanParameters> parameters;
  std::string parametersSha256;
  std::unique_ptr<CheckpointFolder> checkpoints;
  std::string_view resumed; // the checkpoint's file
  std::optional<ParameterFile> saved;
  std::vector<std::unique_ptr<ParameterSink>> followed;
  std::optional<OutputFolder> folder;
  std::vector<std::string> deviceNames;
  RunResult result;
};
} // namespace

static Result<std::unique_ptr<Job>> openJob(RunArguments arguments,
                                            mpi::World *world,
                                            tools::Rebalance *rebalance) {
  // The weights are hashed when they are mapped.
  auto plan = plan::load(arguments.directory, {false});
  if (!plan)
    return plan.takeError();
  const size_t workers = plan->partitioned.workers.size();
  if (world && size_t(world->size()) > workers) {
    Error error = fail(arguments.directory, ": is a plan for ", workers,
                       workers == 1 ? " worker" : " workers",
                       ", fewer than there are processes: mpirun -n ", workers,
                       " at most, not ", world->size());
    error.fault = Fault::Usage;
    return error;
  }
  auto backend =
      backendFor(arguments.backend, *plan, arguments.run.device.note);
  if (!backend)
    return backend.takeError();
  if (arguments.verify && plan->unpartitioned.workers.empty())
    return fail(arguments.directory,
                ": has no unpartitioned program to verify with");
  auto job = std::make_unique<Job>(std::move(arguments), std::move(*plan),
                                   std::move(*backend), world, rebalance);
  if (Status opened = job->open(); !opened)
    return opened.takeError();
  return job;
}

/// One plan after the other, until no range moves any more.
static Status runMoving(RunArguments arguments) {
  const RunArguments given = arguments;
  tools::Rebalance rebalance(given);
  while (true) {
    {
      auto job = openJob(arguments, nullptr, &rebalance);
      if (!job)
        return job.takeError();
      if (Status done = (*job)->run(); !done || !rebalance.isMoving())
        return done;
    } // its checkpoints are another's now
    rebalance.recompile();
    arguments.resume = true;
  }
}

Status tools::run(RunArguments arguments, mpi::World *world) {
  if (arguments.rebalanceEvery > 0) {
    if (world)
      return Error{"--rebalance-every is for one process, without mpirun",
                   Fault::Usage};
    return runMoving(std::move(arguments));
  }
  auto job = openJob(std::move(arguments), world, nullptr);
  if (world)
    if (Status agreed = world->agree(job ? Status() : job.error()); !agreed)
      return agreed;
  if (!job)
    return job.takeError();
  return (*job)->run();
}
