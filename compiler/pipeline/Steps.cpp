#include "compiler/pipeline/Steps.h"

#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/pipeline/KnownLists.h"
#include "compiler/pipeline/PlanFacts.h"
#include "compiler/placement/Algorithm.h"
#include "runtime/plan/Target.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace smex;
using namespace smex::pipeline;

Diagnostics::Diagnostics(MLIRContext *context, const std::string &model)
    : handler(context, [this, model](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        if (!text.empty())
          text += "\n";
        auto loc = dyn_cast<NameLoc>(diagnostic.getLocation());
        text += model + ": ";
        if (loc && loc.getName() != model)
          text += "node \"" + loc.getName().str() + "\": ";
        text += diagnostic.str();
        return success();
      }) {}

Error Diagnostics::error() {
  const std::string said = std::exchange(text, "");
  return {said.empty() ? "compilation failed" : said};
}

LogicalResult smex::pipeline::runPasses(ModuleOp module,
                                        const CompileOptions &options,
                                        AddPasses add) {
  PassManager manager(module.getContext());
  manager.enableVerifier(options.verifyEach);
  add(manager);
  return manager.run(module);
}

OwningOpRef<ModuleOp>
smex::pipeline::semanticGraph(const frontend::Model &model,
                              const CompileOptions &options,
                              MLIRContext &context) {
  OwningOpRef<ModuleOp> module = frontend::buildSemanticGraph(model, &context);
  if (failed(verify(*module)))
    return nullptr;
  if (options.training && !model.ownAlgorithm &&
      failed(runPasses(*module, options, [&](OpPassManager &manager) {
        addTrainingPasses(manager, *options.training);
      })))
    return nullptr;
  return module;
}

Result<std::optional<OnMachine>>
smex::pipeline::machineOf(const CompileOptions &options) {
  if (!options.machine && options.isAuto())
    return Error{"--algorithm auto compares what plans take: give --machine",
                 Fault::Usage};
  if (!options.machine)
    return std::optional<OnMachine>();
  auto machine = OnMachine::of(*options.machine, options.gpus);
  if (!machine)
    return machine.takeError();
  return std::optional<OnMachine>(std::move(*machine));
}

std::vector<partition::Search>
smex::pipeline::searchesFor(const CompileOptions &options,
                            const std::optional<OnMachine> &machine) {
  if (options.isAuto())
    return machine->allKinds();
  const bool isDefault =
      !options.search || options.search->algorithm == "recursive";
  std::vector<partition::Search> list = {partition::Search()};
  if (machine && isDefault)
    list = machine->searches(options.graph != nullptr);
  else if (!options.search)
    llvm::append_range(list, partition::alternatives(options.gpus));
  if (options.search)
    list = {isDefault ? list.front() : *options.search};
  return list;
}

bool smex::pipeline::isForGpus(const CompileOptions &options) {
  return llvm::any_of(options.targets, [](const std::string &target) {
    return plan::kindOf(target) == plan::TargetKind::Cuda;
  });
}

ExecOptions
smex::pipeline::execOptionsFor(const CompileOptions &options,
                               const std::optional<OnMachine> &machine) {
  ExecOptions made = machine ? machine->execOptions() : ExecOptions();
  made.memory.kernelsOnGpus = made.memory.exchanges = isForGpus(options);
  made.memory.onGpus = made.epilogues =
      made.memory.kernelsOnGpus && !options.reproducible;
  return made;
}

bool smex::pipeline::isPlaced(const partition::Search &search) {
  return placement::isAlgorithm(search.algorithm) && search.groups == 0 &&
         search.replicas == 1;
}

int64_t smex::pipeline::placedPeakOf(ModuleOp module) {
  const auto search =
      module->getAttrOfType<DictionaryAttr>(semantic::searchAttr);
  const auto peaks = search.getAs<DenseI64ArrayAttr>("peak_bytes");
  return *llvm::max_element(peaks.asArrayRef());
}

MemoryLimit smex::pipeline::limitOf(const CompileOptions &options,
                                    const std::optional<OnMachine> &machine) {
  return options.memory.bytes.empty() && machine ? machine->memory()
                                                 : options.memory;
}

std::optional<int64_t> smex::pipeline::leastOf(const MemoryLimit &limit) {
  if (limit.bytes.empty())
    return std::nullopt;
  return *std::min_element(limit.bytes.begin(), limit.bytes.end());
}

Result<analysis::NamedLists>
smex::pipeline::listsOf(const frontend::Model &model,
                        const CompileOptions &options, ModuleOp module) {
  if (!options.graph)
    return analysis::NamedLists();
  return knownLists(module, emit::Weights(model, derivedParameters(module)),
                    /*inGuards=*/false);
}
