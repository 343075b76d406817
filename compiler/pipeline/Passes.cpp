// The order of passes; what each does is in the Passes.td of its folder.
#include "compiler/analysis/Passes.h"
#include "compiler/fusion/Passes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/memory/Passes.h"
#include "compiler/messagepassing/Passes.h"
#include "compiler/offload/ir/Passes.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/training/ir/Passes.h"

using namespace smex;
using namespace smex::pipeline;

namespace {

/// What is gone by where no machine is given: one that many have.
constexpr const char *usualMachine = "dgx-h100";

} // namespace

std::shared_ptr<const placement::Site>
smex::pipeline::placementSite(const CompileOptions &options) {
  return std::make_shared<const placement::Site>(placement::Site{
      options.machine ? *options.machine
                      : std::move(*machines::findMachine(usualMachine)),
      options.profile});
}

std::shared_ptr<const partition::Rates>
smex::pipeline::ratesOf(const CompileOptions &options, bool withoutMachine) {
  if (!options.graph || options.gpus == 1)
    return nullptr;
  const bool isKnown = options.machine && !withoutMachine;
  const machines::Machine machine =
      isKnown ? *options.machine
              : std::move(*machines::findMachine(usualMachine));
  const auto levels = machines::levelsOf(machine, isKnown ? options.gpus : 2);
  if (!levels)
    return nullptr;
  return std::make_shared<const partition::Rates>(
      partition::Rates{machine.deviceOf(0), levels->front().bytesPerSecond});
}

void smex::pipeline::addTrainingPasses(
    mlir::OpPassManager &manager, const training::TrainingOptions &options) {
  manager.addPass(training::createTrainingStep(options));
  manager.addPass(training::createMergeEqual());
  manager.addPass(training::createDropUnused());
}

void smex::pipeline::addSemanticPasses(mlir::OpPassManager &manager,
                                       const CompileOptions &options) {
  if (options.fuse) {
    fusion::FuseMapsOptions maps;
    maps.sumsApart = options.gpus > 1 && !options.reproducible;
    manager.addPass(fusion::createFuseMaps(maps));
    if (!options.reproducible) {
      manager.addPass(fusion::createRecomputeProducts());
      fusion::PadProductsOptions limits;
      limits.ways = options.gpus;
      limits.sumsApart = maps.sumsApart;
      if (options.padding == "all")
        limits.minFlops = limits.minBytes = limits.flopsPerByte = 0;
      if (options.padding != "none")
        manager.addPass(fusion::createPadProducts(limits));
    }
    // What is computed anew is rounded otherwise, so that what is stored may
    // not depend on the graph's size where bits may not.
    messagepassing::RecomputeMessagesOptions messages;
    messages.ofAnySize =
        options.reproducible || options.recomputeMessages == "always";
    if (options.recomputeMessages != "never")
      manager.addPass(messagepassing::createRecomputeMessages(messages));
  }
  manager.addPass(messagepassing::createSegmentReductions());
}

void smex::pipeline::addDecisionPasses(
    mlir::OpPassManager &manager, const CompileOptions &options,
    const partition::Search &search, std::optional<int64_t> placedBytes,
    const analysis::NamedLists &known,
    const memory::PlanMemoryOptions &memory) {
  if (placement::isAlgorithm(search.algorithm)) {
    placement::PlaceOptions placeOptions;
    placeOptions.gpus = options.gpus;
    placeOptions.algorithm = search.algorithm;
    placeOptions.groups = search.groups;
    placeOptions.replicas = search.replicas;
    placeOptions.rounds = search.rounds;
    placeOptions.memoryBytes = placedBytes.value_or(-1);
    placeOptions.spare = options.spare;
    placeOptions.outputReduction = !options.reproducible;
    placeOptions.workspaceBytes = memory.workspaceBytes;
    placeOptions.onGpus = memory.onGpus;
    placeOptions.kernelsOnGpus = memory.kernelsOnGpus;
    placeOptions.exchanges = memory.exchanges;
    manager.addPass(placement::createPlaceOn(placementSite(options),
                                             std::move(placeOptions)));
    return;
  }
  partition::PartitionOptions partitionOptions;
  partitionOptions.gpus = options.gpus;
  partitionOptions.algorithm = search.algorithm;
  partitionOptions.ways.assign(search.ways.begin(), search.ways.end());
  partitionOptions.alwaysCut = search.alwaysCut;
  partitionOptions.alongSides = search.alongSides;
  partitionOptions.linkCosts.assign(search.linkCosts.begin(),
                                    search.linkCosts.end());
  for (const std::vector<int64_t> &step : search.weights)
    partitionOptions.weights.insert(partitionOptions.weights.end(),
                                    step.begin(), step.end());
  partitionOptions.outputReduction = !options.reproducible;
  manager.addPass(partition::createPartitionOf(
      options.graph, std::move(partitionOptions), known,
      search.bytesAlone ? nullptr : ratesOf(options, search.withoutMachine)));
}

void smex::pipeline::addExecPasses(mlir::OpPassManager &manager,
                                   const ExecOptions &options) {
  manager.addPass(lowering::createLowerToExecBy(options.known));
  auto &perProgram = manager.nest<exec::ProgramOp>();
  if (options.order != ListOrder::FetchedLate)
    perProgram.addPass(memory::createFetchMade());
  if (options.epilogues)
    perProgram.addPass(memory::createFetchBiases());
  if (!options.offload.capacities.empty())
    perProgram.addPass(
        offload::createMoveToHostOn(options.offloadOn, options.offload));
  memory::OverlapTransfersOptions overlap = options.overlap;
  if (options.order == ListOrder::AsPlaced)
    overlap.lookAhead = 0;
  perProgram.addPass(memory::createOverlapTransfers(overlap));
  perProgram.addPass(memory::createPlanMemory(options.memory));
  if (options.epilogues)
    perProgram.addPass(memory::createMarkEpilogues());
  perProgram.addPass(memory::createInsertWaits());
}

void smex::pipeline::registerAllPasses() {
  analysis::registerLambdaAnalysisPasses();
  fusion::registerFusionPasses();
  lowering::registerLoweringPasses();
  memory::registerMemoryPasses();
  messagepassing::registerMessagePassingPasses();
  offload::registerOffloadPasses();
  partition::registerPartitionPasses();
  placement::registerPlacementPasses();
  training::registerTrainingPasses();
}

void smex::pipeline::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, tdl::TdlDialect,
                  semantic::SmexDialect, exec::ExecDialect>();
}
