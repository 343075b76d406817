#include "tools/smex-run/Run.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "dialects/support/Sha256.h"
#include "runtime/executor/Profile.h"
#include "runtime/executor/Verify.h"
#include "runtime/plan/Load.h"
#include "tools/smex-run/CostModel.h"
#include "tools/smex-run/Identity.h"
#include "tools/smex-run/Inputs.h"
#include "tools/smex-run/Outcome.h"
#include "tools/smex-run/Processes.h"
#include "tools/smex-run/Progress.h"
#include "tools/smex-run/Rebalance.h"
#include "tools/smex-run/Targets.h"

#include <algorithm>
#include <utility>

using namespace smex;
using namespace smex::runtime;
using tools::RunArguments;

namespace {
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
    // Inputs that are not given follow from the plan and the options: what
    // differs there is to be named, and not the inputs.
    if (world) {
      const auto text = readFile(arguments.directory + "/plan.json");
      identity.add("the plan", text ? sha256(*text) : std::string());
      identity.add(arguments);
    }
    auto read = tools::openInputs(arguments, plan, world ? &identity : nullptr);
    if (!read)
      return read.takeError();
    inputs = std::move(*read);
    options.next = inputs.next;
    return openParameters();
  }

  Status run() {
    if (Status same = compare(); !same)
      return same;
    const RunIdentity origin{plan.modelSha256, arguments.seed,
                             parametersSha256};
    if (Status opened = targets.open(origin, options, *parameters); !opened)
      return opened;
    if (Status ran = execute(); !ran)
      return ran;
    if (!isFirst() || (rebalance && rebalance->isMoving()))
      return {};
    tools::summarize(outcome);
    if (arguments.verify && !outcome.isNothing())
      if (Status same = verify(); !same)
        return same;
    return tools::write(outcome, inputs);
  }

private:
  bool isFirst() const { return !world || world->isFirst(); }

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
    identity.add("--backend", backend->name());
    identity.add("--parameters", parametersSha256);
    return identity.compare(*world);
  }

  Status execute() {
    const auto workers = int(plan.partitioned.workers.size());
    auto devices = tools::devicesOf(*backend, workers, world);
    if (!devices)
      return devices.takeError();
    outcome.devices = std::move(*devices);
    std::optional<mpi::MpiTransport> transport;
    if (world) {
      const int first = options.firstStep;
      transport.emplace(*world, workers, queueCount,
                        [&, first](int worker, const auto &completed) {
                          return tools::nextInstruction(
                              plan.partitioned, worker, completed, first);
                        });
      options.process = Process{&*transport, transport->workers()};
      if (!arguments.checkpoints.empty())
        world->setAdvice("go on from the last checkpoint with --resume");
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
                                parameters->shares(), inputs.feeds, options);
    options.progress = nullptr;
    options.stepped = nullptr;
    options.process.reset();
    if (!ran)
      return ran.takeError();
    outcome.result = std::move(*ran);
    return closeCostModel();
  }

  Status openCostModel() {
    if (arguments.costModel.empty() || !isFirst())
      return {};
    auto opened =
        tools::CostModel::open(plan, parameters->shares(), inputs.feeds,
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
        costs->addAll(outcome.result.trace);
      costs->finish();
      if (Status saved = costs->save(); !saved)
        return saved;
      outcome.costs = costs->summary();
      if (costs->times().timings() > 0)
        outcome.balance = {costs->times().imbalance(),
                           costs->times().predictedImbalance(),
                           rebalance ? rebalance->moves() : 0};
    }
    outcome.firstStep = options.firstStep;
    if (!rebalance)
      return {};
    outcome.firstStep = rebalance->firstStep(options.firstStep);
    if (rebalance->isMoving())
      rebalance->keep(outcome.result);
    else
      rebalance->join(outcome.result);
    return {};
  }

  bool isTraining() const {
    const auto &all = plan.partitioned.program.parameters;
    return std::any_of(all.begin(), all.end(), isCarried);
  }

  /// The same on one worker.
  Status verify() {
    auto cpu = makeBackend("cpu");
    const auto same =
        feedsFor(plan.unpartitioned.program, plan.partitioned.program,
                 std::move(inputs.feeds));
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
      rebalance->part(outcome.result);
    const auto verified = runtime::verify(plan, outcome.result, *whole);
    if (rebalance)
      rebalance->join(outcome.result);
    if (!verified)
      return verified.error();
    print("verified: " + *verified + "\n");
    return {};
  }

  const RunArguments arguments;
  RunOptions options;
  const plan::Plan plan;
  std::unique_ptr<Backend> backend;
  mpi::World *const world;
  tools::Rebalance *const rebalance;
  std::unique_ptr<tools::CostModel> costs;
  tools::Identity identity;
  tools::Inputs inputs;
  std::optional<PlanParameters> parameters;
  std::string parametersSha256;
  tools::Targets targets{arguments, plan.partitioned.program, world, rebalance};
  tools::Outcome outcome{arguments, plan, backend->name()};
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
  if (!arguments.profile.empty() && !hasWholeOperators(plan->partitioned))
    return Error{"--profile: " + arguments.directory +
                     " cuts every operator, and parts say nothing of a whole; "
                     "profile a plan that cuts none, such as one for one GPU",
                 Fault::Usage};
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
