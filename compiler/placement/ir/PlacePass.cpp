#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/Factorize.h"
#include "compiler/partition/Recursive.h"
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/MachineDevices.h"
#include "compiler/placement/TransferQueues.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/placement/ir/TasksOf.h"

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

/// The step alone, or with the steps of the recursive search within its groups
/// after it.
Result<partition::PartitionPlan> planOf(const partition::OperatorGraph &graph,
                                        partition::Step step, int64_t gpus) {
  partition::PartitionPlan plan;
  if (step.ways == 1 && gpus == 1)
    return plan;
  if (step.ways < gpus) {
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
  plan.steps.push_back(std::move(step));
  plan.bytes = partition::communicationBytes(graph, plan);
  plan.sharedBytes = plan.bytes - partition::bytesSavedBySharing(graph, plan);
  plan.optimal = plan.sharedBytes == 0; // bounded by nothing else
  plan.steps.back().bytes = plan.bytes;
  plan.steps.back().optimal = plan.bytes == 0;
  return plan;
}

/// What tasks take where `gpus` GPUs share each: a launch, and a part of the
/// rest.
void share(TaskGraph &graph, int64_t gpus, double launchSeconds) {
  for (Task &task : graph.tasks)
    if (task.seconds > launchSeconds)
      task.seconds =
          launchSeconds + (task.seconds - launchSeconds) / double(gpus);
}

struct Chosen {
  Outcome outcome;
  /// Applications, by number, in the order in which they are to run; empty: as
  /// in the module.
  std::vector<int> order;
};

/// A plan's GPUs do their instructions in the order of the module, which may be
/// any order that comes of a schedule. So tasks are placed as if each GPU took
/// what is ready, and then the order is taken in which the placement is
/// fastest. Only where nothing keeps the memory limit then, tasks are placed
/// for the order that is there, and only if that does not help either, a limit
/// that works is looked for.
Result<Chosen> choose(const Problem &problem, const Tasks &tasks,
                      const std::string &algorithm) {
  Params params;
  params.emulator = transferQueues;
  params.namesLimit = false;
  auto ready = placement::place(problem, algorithm, params);
  if (!ready) {
    params.emulator = inGivenOrder;
    params.namesLimit = true;
    auto given = placement::place(problem, algorithm, params);
    return given ? Result<Chosen>(Chosen{*given, {}}) : given.takeError();
  }
  Schedule best;
  ReadyOrder order = ReadyOrder::FirstIn;
  for (const ReadyOrder each :
       {ReadyOrder::FirstIn, ReadyOrder::BottomLevel, ReadyOrder::Given}) {
    Schedule schedule = withTransferQueues(problem, ready->placement, each);
    if (best.order.empty() ||
        (schedule.makespan < best.makespan &&
         fits(problem.devices,
              memoryUse(problem, ready->placement, schedule)))) {
      best = std::move(schedule);
      order = each;
    }
  }
  Chosen chosen{*ready, {}};
  if (order == ReadyOrder::Given)
    return chosen;
  std::vector<int> application(tasks.graph.tasks.size(), -1);
  for (size_t o = 0; o < tasks.ofOperator.size(); ++o)
    application[size_t(tasks.ofOperator[o])] = int(o);
  for (const int task : best.order)
    if (const int number = application[size_t(task)]; number >= 0)
      chosen.order.push_back(number);
  return chosen;
}

/// Puts the applications in this order, behind all that reads none of them.
void reorder(func::FuncOp main, const partition::GraphOfModule &module,
             const std::vector<int> &order) {
  Block &block = main.front();
  Operation *end = block.getTerminator();
  SmallVector<Operation *> updates(block.getOps<semantic::UpdateOp>());
  for (const int number : order)
    module.applications[size_t(number)]->moveBefore(end);
  for (Operation *update : updates)
    update->moveBefore(end);
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

  Status place(ModuleOp module, func::FuncOp main) {
    if (!site)
      if (Status status = readSite(); !status)
        return status;
    const int64_t placed = groups > 0 ? groups : gpus;
    if (gpus % placed != 0)
      return fail(int64_t(gpus), " GPUs are not ", placed,
                  " groups of equal size");
    // A machine that has fewer GPUs is taken for one that has as many.
    auto devices = devicesOf(
        site->machine,
        int(std::min<int64_t>(gpus, int64_t(site->machine.gpus.size()))));
    if (!devices)
      return devices.takeError();
    devices->count = int(placed);
    devices->memoryBytes.reset();
    if (memoryBytes >= 0)
      devices->memoryBytes = memoryBytes * (gpus / placed);
    partition::GraphOfModule input = partition::graphOf(main);
    const machines::Profile *measured =
        site->profile ? &*site->profile : nullptr;
    if (measured && llvm::none_of(input.graph.operators, [&](const auto &op) {
          return measured->seconds.count(
              input.graph.tensors[size_t(op.result)].name);
        }))
      return fail(measured->file, " is of \"", measured->model,
                  "\", and has none of this model's operators");
    Tasks tasks = tasksOf(input, tdl::LambdaTable(module),
                          site->machine.deviceOf(0), measured);
    share(tasks.graph, gpus / placed, site->machine.deviceOf(0).launchSeconds);
    if (Status status = placement::validate(tasks.graph); !status)
      return status;
    const Problem problem(tasks.graph, *devices);
    const auto chosen = choose(problem, tasks, algorithm);
    if (!chosen)
      return chosen.error();
    auto plan = planOf(
        input.graph,
        stepOf(input.graph, tasks, chosen->outcome.placement, placed), gpus);
    if (!plan)
      return plan.takeError();
    partition::writeDecisions(module, input, *plan, algorithm);
    if (!chosen->order.empty())
      reorder(main, input, chosen->order);
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
