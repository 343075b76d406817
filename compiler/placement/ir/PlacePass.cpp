#include "compiler/partition/Algorithm.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Recursive.h"
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/MachineDevices.h"
#include "compiler/placement/TransferQueues.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/placement/ir/PlanBytes.h"
#include "compiler/placement/ir/TasksOf.h"
#include "compiler/placement/ir/WithinGroups.h"

namespace smex::placement {
#define GEN_PASS_DEF_PLACE
#include "compiler/placement/ir/Passes.h.inc"
} // namespace smex::placement

using namespace mlir;
using namespace smex;
using namespace smex::placement;

namespace {

/// One step in which everything is placed on one group of GPUs. A tensor is
/// where the operator that makes it is.
partition::Step stepOf(const partition::OperatorGraph &graph,
                       const Tasks &tasks, const Placement &placement,
                       int64_t groups) {
  const auto on = [&](int task) {
    return Division::placed(placement[size_t(task)]);
  };
  partition::Step step;
  step.ways = groups;
  for (const int task : tasks.ofTensor)
    step.tensors.push_back(task < 0 ? Division() : on(task));
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    step.operators.push_back(on(tasks.ofOperator[o]));
    if (const auto result = size_t(graph.operators[o].result);
        tasks.ofTensor[result] < 0)
      step.tensors[result] = step.operators.back();
  }
  return step;
}

/// Samples cut among so many replicas, each of which has all parameters, and a
/// part of each gradient (ZeRO); no steps where there is one.
Result<partition::PartitionPlan>
replicasOf(const partition::OperatorGraph &graph, int64_t replicas) {
  if (replicas == 1)
    return partition::PartitionPlan();
  partition::Params params;
  params.lowerBound = false;
  return partition::partition(graph, replicas, "zero", params);
}

/// The step after those that make replicas, or with the steps of the recursive
/// search within its groups after it.
Result<partition::PartitionPlan> planOf(const partition::OperatorGraph &graph,
                                        partition::PartitionPlan before,
                                        partition::Step step, int64_t gpus) {
  if (step.ways * before.workers() < gpus) {
    partition::Params params;
    if (step.ways > 1) {
      params.first = &step;
      params.ways = {step.ways};
    }
    for (int64_t ways : partition::factorize(gpus / step.ways))
      params.ways.push_back(ways);
    params.lowerBound = false; // it knows of no placements
    return partition::partitionRecursively(graph, gpus, params);
  }
  partition::PartitionPlan plan;
  plan.steps = std::move(before.steps);
  if (step.ways > 1)
    plan.steps.push_back(std::move(step));
  if (plan.steps.empty())
    return plan;
  plan.bytes = partition::communicationBytes(graph, plan);
  plan.sharedBytes = plan.bytes - partition::bytesSavedBySharing(graph, plan);
  plan.optimal = plan.sharedBytes == 0; // bounded by nothing else
  plan.steps.back().bytes = plan.bytes;
  plan.steps.back().optimal = plan.bytes == 0;
  return plan;
}

/// What an operator takes where `gpus` GPUs share it evenly: a launch, and a
/// part of the rest.
double shared(double alone, int64_t gpus, double launchSeconds) {
  const double launch = std::min(alone, launchSeconds);
  return launch + (alone - launch) / double(gpus);
}

struct Chosen {
  Placement placement;
  Schedule schedule;
  std::vector<int64_t> aliveBytes; // at most at once, by device
};

/// Schedules are as fast as each other where their makespans differ by less.
constexpr double kAsFast = 1e-3;

/// The schedule of the order in which the placement is fastest, or of those
/// that are as fast, needs least memory: of the one that keeps the limit, by
/// the algorithm's own order or first in, first out, and of others that do.
Schedule fastest(const Problem &problem, const Outcome &outcome,
                 const Params &params) {
  const Placement &placement = outcome.placement;
  Schedule best = scheduleOf(problem, outcome, params);
  int64_t bestPeak = memoryUse(problem, placement, best).most();
  for (const ReadyOrder each :
       {ReadyOrder::FirstIn, ReadyOrder::BottomLevel, ReadyOrder::Given}) {
    if (each == ReadyOrder::FirstIn && outcome.order.empty())
      continue; // that is the first one
    Schedule schedule = withTransferQueues(problem, placement, each);
    const MemoryUse use = memoryUse(problem, placement, schedule);
    const bool isBetter = schedule.makespan < best.makespan * (1 - kAsFast) ||
                          (schedule.makespan <= best.makespan * (1 + kAsFast) &&
                           use.most() < bestPeak);
    if (!isBetter || !fits(problem.devices, use))
      continue;
    best = std::move(schedule);
    bestPeak = use.most();
  }
  return best;
}

/// A plan's GPUs do their instructions in the order of the module, which may be
/// any order that comes of a schedule. So tasks are placed as if each GPU took
/// what is ready, or kept to the algorithm's own order, and then the fastest
/// order is taken. Only where nothing keeps
/// the memory limit then, tasks are placed for the order that is there, and
/// only if that does not help either, a limit that works is looked for.
Result<Chosen> choose(const Problem &problem, const Tasks &tasks,
                      const std::string &algorithm,
                      const std::function<void(int64_t)> &onLimit) {
  Params params;
  params.onLimit = onLimit;
  params.emulator = transferQueues;
  params.inOrder = transferQueuesInOrder;
  params.namesLimit = false;
  Result<Outcome> outcome = placement::place(problem, algorithm, params);
  const auto by = [&](Schedule schedule) {
    std::vector<int64_t> alive =
        memoryUse(problem, outcome->placement, schedule).peakBytes;
    return Chosen{outcome->placement, std::move(schedule), std::move(alive)};
  };
  if (outcome)
    return by(fastest(problem, *outcome, params));
  params.emulator = listedInGivenOrder;
  params.inOrder = nullptr;
  params.namesLimit = true;
  outcome = placement::place(problem, algorithm, params);
  if (!outcome)
    return outcome.takeError();
  return by(listedInGivenOrder(problem, outcome->placement));
}

/// The list of a schedule, as the module is to have it.
struct Listing {
  /// Applications, by number, in the order in which they are to run.
  std::vector<int> order;
  /// Of each in that order: how many others come before its result is copied.
  std::vector<int> copied;
};

Listing listingOf(const Tasks &tasks, const Schedule &schedule) {
  Listing listing;
  std::vector<int> application(tasks.graph.tasks.size(), -1);
  for (size_t o = 0; o < tasks.ofOperator.size(); ++o)
    application[size_t(tasks.ofOperator[o])] = int(o);
  std::vector<int> before; // by place in the list: applications up to there
  for (const int task : schedule.list) {
    if (const int number = application[size_t(task)]; number >= 0)
      listing.order.push_back(number);
    before.push_back(int(listing.order.size()));
  }
  for (size_t place = 0; place < schedule.list.size(); ++place)
    if (const int task = schedule.list[place]; application[size_t(task)] >= 0)
      listing.copied.push_back(before[size_t(schedule.copied[size_t(task)])] -
                               before[place]);
  return listing;
}

/// Puts the applications in this order, behind all that reads none of them.
void reorder(func::FuncOp main, const partition::GraphOfModule &module,
             const Listing &listing) {
  Block &block = main.front();
  Operation *end = block.getTerminator();
  SmallVector<Operation *> updates(block.getOps<semantic::UpdateOp>());
  Builder builder(main.getContext());
  for (size_t i = 0; i < listing.order.size(); ++i) {
    Operation *apply = module.applications[size_t(listing.order[i])];
    apply->moveBefore(end);
    apply->removeAttr(semantic::copiedAttr);
    if (listing.copied[i] > 0)
      apply->setAttr(semantic::copiedAttr,
                     builder.getI64IntegerAttr(listing.copied[i]));
  }
  for (Operation *update : updates)
    update->moveBefore(end);
}

/// What the search says of itself, and the bytes that its plan will take of
/// each GPU.
void writePeaks(ModuleOp module, const std::vector<int64_t> &bytes) {
  NamedAttrList said(
      module->getAttrOfType<DictionaryAttr>(semantic::searchAttr));
  said.set("peak_bytes", Builder(module).getDenseI64ArrayAttr(bytes));
  module->setAttr(semantic::searchAttr,
                  said.getDictionary(module.getContext()));
}

struct Place : placement::impl::PlaceBase<Place> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp main = semantic::mainFunction(module);
    if (!main)
      return signalPassFailure();
    if (Status status = place(module, main); !status) {
      module.emitError(status.error().message);
      signalPassFailure();
    }
  }

  std::shared_ptr<const Site> site;

private:
  /// The options that say what plans take beside buffers.
  PlaceOptions planned() const {
    PlaceOptions options;
    options.workspaceBytes = workspaceBytes;
    options.onGpus = onGpus;
    options.kernelsOnGpus = kernelsOnGpus;
    options.exchanges = exchanges;
    return options;
  }

  /// What the options name.
  Status readSite() {
    auto found = machines::findMachine(machine);
    if (!found)
      return found.takeError();
    Site read{std::move(*found), std::nullopt};
    if (!profile.empty()) {
      auto measured = machines::readProfileFile(profile);
      if (!measured)
        return measured.takeError();
      read.profile = std::move(*measured);
    }
    site = std::make_shared<const Site>(std::move(read));
    return {};
  }

  struct Decided {
    Chosen chosen;
    partition::PartitionPlan plan;
  };

  /// Places operators on devices; where these are groups of GPUs, cuts within
  /// them. At first each operator takes what it does if the GPUs of a group
  /// share it evenly and bring nothing from each other. How it is cut then says
  /// what it really takes, and by that all are placed again, until they have
  /// been placed `rounds` times.
  Result<Decided> decide(ModuleOp module, const partition::OperatorGraph &graph,
                         const partition::PartitionPlan &before, Tasks &tasks,
                         const Devices &devices) const {
    const auto tellLimit = [&](int64_t bytes) {
      module->setAttr(enoughBytesAttr,
                      Builder(module).getI64IntegerAttr(bytes));
    };
    std::vector<double> alone, seconds;
    const double launch = site->machine.deviceOf(0).launchSeconds;
    for (const int task : tasks.ofOperator) {
      alone.push_back(tasks.graph.tasks[size_t(task)].seconds);
      seconds.push_back(shared(alone.back(), devices.gpusEach, launch));
    }
    const Problem problem(tasks.graph, devices);
    for (int64_t round = 1;; ++round) {
      for (size_t o = 0; o < seconds.size(); ++o)
        tasks.graph.tasks[size_t(tasks.ofOperator[o])].seconds = seconds[o];
      auto chosen = choose(problem, tasks, algorithm, tellLimit);
      if (!chosen)
        return chosen.takeError();
      auto plan =
          planOf(graph, before,
                 stepOf(graph, tasks, chosen->placement, devices.count), gpus);
      if (!plan)
        return plan.takeError();
      if (round >= rounds || devices.count == 1 || devices.gpusEach == 1)
        return Decided{std::move(*chosen), std::move(*plan)};
      const auto links = devicesOf(site->machine, ofMachine(devices.gpusEach));
      if (!links)
        return links.error();
      seconds = secondsWithinGroups(graph, *plan, alone, launch, *links);
    }
  }

  /// So many GPUs of the machine. One that has fewer is taken for one that has
  /// as many.
  int ofMachine(int64_t count) const {
    return int(std::min<int64_t>(count, int64_t(site->machine.gpus.size())));
  }

  /// Operators take what a replica brings from the others for them, too.
  Status addSums(const partition::OperatorGraph &graph,
                 const partition::PartitionPlan &before, Tasks &tasks) const {
    if (before.steps.empty())
      return {};
    const auto links = devicesOf(site->machine, ofMachine(gpus));
    if (!links)
      return links.error();
    const auto seconds = secondsBetweenReplicas(graph, before, *links);
    for (size_t o = 0; o < seconds.size(); ++o)
      tasks.graph.tasks[size_t(tasks.ofOperator[o])].seconds += seconds[o];
    return {};
  }

  Status place(ModuleOp module, func::FuncOp main) {
    if (!site)
      if (Status status = readSite(); !status)
        return status;
    if (replicas < 1 || gpus % replicas != 0)
      return fail(int64_t(gpus), " GPUs are not ", int64_t(replicas),
                  " replicas of equal size");
    if (replicas > 1 && groups > 0)
      return fail("replicas place on GPUs, not on groups of them");
    const int64_t each = gpus / replicas, placed = groups > 0 ? groups : each;
    if (each % placed != 0)
      return fail(int64_t(gpus), " GPUs are not ", placed,
                  " groups of equal size");
    auto devices = devicesOf(site->machine, ofMachine(each));
    if (!devices)
      return devices.takeError();
    devices->count = int(placed);
    devices->gpusEach = int(each / placed);
    devices->memoryBytes.reset();
    if (memoryBytes >= 0)
      devices->memoryBytes = memoryBytes;
    devices->spare = spare;
    partition::GraphOfModule input = partition::graphOf(main, outputReduction);
    const machines::Profile *measured =
        site->profile ? &*site->profile : nullptr;
    if (measured && llvm::none_of(input.graph.operators, [&](const auto &op) {
          return measured->seconds.count(
              input.graph.tensors[size_t(op.result)].name);
        }))
      return machines::noneOfModel(*measured);
    auto before = replicasOf(input.graph, replicas);
    if (!before)
      return before.takeError();
    Tasks tasks = tasksOf(input, tdl::LambdaTable(module),
                          site->machine.deviceOf(0), measured, *before);
    if (Status status = addSums(input.graph, *before, tasks); !status)
      return status;
    if (Status status = placement::validate(tasks.graph); !status)
      return status;
    // Of groups of GPUs and of replicas nothing is said: what they cut and
    // exchange is not yet known.
    std::optional<PlanBytes> counted;
    if (placed == gpus) {
      counted.emplace(input, tdl::LambdaTable(module), planned(), gpus);
      devices->needed = [&](int64_t bytes) { return counted->atMost(bytes); };
    }
    const auto decided = decide(module, input.graph, *before, tasks, *devices);
    if (!decided)
      return decided.error();
    const auto &[chosen, plan] = *decided;
    partition::writeDecisions(module, input, plan, algorithm);
    if (counted)
      writePeaks(module, planBytesOf(*counted, tasks, chosen.placement,
                                     chosen.aliveBytes));
    reorder(main, input, listingOf(tasks, chosen.schedule));
    return {};
  }
};

} // namespace

std::unique_ptr<Pass> placement::createPlaceOn(std::shared_ptr<const Site> site,
                                               PlaceOptions options) {
  auto pass = std::make_unique<Place>(std::move(options));
  pass->site = std::move(site);
  return pass;
}
