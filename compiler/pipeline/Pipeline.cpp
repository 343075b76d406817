#include "compiler/pipeline/Pipeline.h"

#include "compiler/emit/Emit.h"
#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/CheckReads.h"
#include "compiler/pipeline/Choice.h"
#include "compiler/pipeline/GenerateCode.h"
#include "compiler/pipeline/KnownLists.h"
#include "compiler/pipeline/LessMemory.h"
#include "compiler/pipeline/PlanFacts.h"
#include "compiler/pipeline/PlanLimits.h"
#include "compiler/placement/Algorithm.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <chrono>
#include <future>

using namespace mlir;
using namespace smex;
using namespace smex::pipeline;

namespace {

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Collects errors as "node "conv_17": message", a line each.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext *context, const std::string &model)
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

  /// What has been collected since the last time.
  Error error() {
    const std::string said = std::exchange(text, "");
    return {said.empty() ? "compilation failed" : said};
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

using AddPasses = llvm::function_ref<void(OpPassManager &)>;

LogicalResult runPasses(ModuleOp module, const CompileOptions &options,
                        AddPasses add) {
  PassManager manager(module.getContext());
  manager.enableVerifier(options.verifyEach);
  add(manager);
  return manager.run(module);
}

/// The semantic graph, with the training step if one is wanted.
OwningOpRef<ModuleOp> semanticGraph(const frontend::Model &model,
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

/// What is true until finish(), or the end of the scope.
class Ongoing {
public:
  ~Ongoing() { finish(); }
  void finish() {
    if (!std::exchange(isFinished, true))
      ready.set_value();
  }
  std::shared_future<void> end() { return ready.get_future().share(); }

private:
  std::promise<void> ready;
  bool isFinished = false;
};

/// None, if none is given.
Result<std::optional<OnMachine>> machineOf(const CompileOptions &options) {
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

bool isForGpus(const CompileOptions &options) {
  return llvm::any_of(options.targets, [](const std::string &target) {
    return plan::kindOf(target) == plan::TargetKind::Cuda;
  });
}

/// What GPUs exchange, and what their libraries compute, is memory planned for,
/// and marked; and what kernels that are generated for GPUs need.
ExecOptions execOptionsFor(const CompileOptions &options,
                           const std::optional<OnMachine> &machine) {
  ExecOptions made = machine ? machine->execOptions() : ExecOptions();
  made.memory.kernelsOnGpus = made.memory.exchanges = isForGpus(options);
  made.memory.onGpus = made.epilogues =
      made.memory.kernelsOnGpus && !options.reproducible;
  return made;
}

std::optional<int64_t> leastOf(const MemoryLimit &limit) {
  if (limit.bytes.empty())
    return std::nullopt;
  return *std::min_element(limit.bytes.begin(), limit.bytes.end());
}

/// Those of a model whose graph is partitioned.
Result<analysis::NamedLists> listsOf(const frontend::Model &model,
                                     const CompileOptions &options,
                                     ModuleOp module) {
  if (!options.graph)
    return analysis::NamedLists();
  return knownLists(module, emit::Weights(model, derivedParameters(module)));
}

/// Searches in order: the one to begin with, and others if one plan is not
/// enough.
std::vector<partition::Search>
searchesFor(const CompileOptions &options,
            const std::optional<OnMachine> &machine) {
  if (options.isAuto())
    return machine->allKinds();
  const bool isDefault =
      !options.search || options.search->algorithm == "recursive";
  std::vector<partition::Search> list = {partition::Search()};
  if (machine && isDefault)
    list = machine->searches();
  else if (!options.search)
    llvm::append_range(list, partition::alternatives(options.gpus));
  if (options.search)
    list = {isDefault ? list.front() : *options.search};
  return list;
}

} // namespace

std::optional<Stage> smex::pipeline::parseStage(const std::string &name) {
  if (name == "semantic")
    return Stage::Semantic;
  if (name == "decisions")
    return Stage::Decisions;
  if (name == "problem")
    return Stage::Problem;
  if (name == "exec")
    return Stage::Exec;
  return std::nullopt;
}

Result<Compiled> smex::pipeline::compile(const frontend::Model &model,
                                         const CompileOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(&context, model.name);
  OwningOpRef<ModuleOp> module = semanticGraph(model, options, context);
  if (!module)
    return diagnostics.error();
  func::FuncOp main = semantic::mainFunction(*module);
  if (Status fits = checkPlanLimits(model.name, main); !fits)
    return fits.takeError();
  if (failed(checkReads(main)))
    return diagnostics.error();
  auto machine = machineOf(options);
  if (!machine)
    return machine.takeError();
  Compiled compiled;
  const auto addPasses = [&](OpPassManager &manager) {
    addSemanticPasses(manager, options);
  };
  if (failed(runPasses(*module, options, addPasses)))
    return diagnostics.error();
  compiled.plan.flops = countOperators(*module, compiled.stats);
  compiled.derived = derivedParameters(*module);
  const auto known = listsOf(model, options, *module);
  if (!known)
    return known.error();

  emit::KernelTable kernels(options.targets,
                            /*library=*/!options.reproducible);
  const auto emitProgram =
      [&](ModuleOp from, const ExecOptions &execOptions,
          emit::KernelTable &table) -> Result<plan::Partitioned> {
    if (failed(runPasses(from, options, [&](OpPassManager &manager) {
          addExecPasses(manager, execOptions);
        })))
      return diagnostics.error();
    plan::Partitioned emitted =
        emit::emit(*from.getOps<exec::ProgramOp>().begin(), table);
    if (Status fits = checkPlanLimits(model.name, emitted); !fits)
      return fits.takeError();
    return emitted;
  };
  OwningOpRef<ModuleOp> whole = module->clone();
  ExecOptions forOne;
  forOne.memory.kernelsOnGpus = isForGpus(options);
  auto unpartitioned = emitProgram(*whole, forOne, kernels);
  if (!unpartitioned)
    return unpartitioned.takeError();
  compiled.plan.unpartitioned = std::move(*unpartitioned);

  // However the model is partitioned, the lambdas are the same: their code is
  // generated while the search runs, on the cores that it leaves.
  std::future<Result<plan::Code>> generating;
  Ongoing searching; // ends before the future waits, however this is left
  generating = std::async(
      std::launch::async,
      [&compiled, &options](std::vector<emit::Function> functions,
                            const codegen::Busy &busy) {
        const Clock codegen;
        auto code = generateCode(functions, options.targets, busy);
        compiled.stats.codegenSeconds = codegen.seconds();
        return code;
      },
      kernels.functions(), searching.end());

  const Clock search;
  const auto attempt = [&](const partition::Search &by,
                           std::optional<int64_t> placedBytes,
                           const std::vector<int64_t> &capacities,
                           const std::string &choices) -> Result<Candidate> {
    OwningOpRef<ModuleOp> decided = module->clone();
    if (failed(runPasses(*decided, options, [&](OpPassManager &manager) {
          addDecisionPasses(manager, options, by, placedBytes, *known);
        })))
      return diagnostics.error();
    compiled.stats.searchSeconds = search.seconds();
    Candidate candidate{by, {}, searchInfo(*decided), {}, kernels};
    ExecOptions execOptions =
        execOptionsFor(options, by.withoutMachine ? std::nullopt : *machine);
    execOptions.known = *known;
    execOptions.offload.capacities.assign(capacities.begin(), capacities.end());
    execOptions.offload.choices = choices;
    if (options.machine)
      execOptions.offloadOn =
          std::make_shared<const machines::Machine>(*options.machine);
    candidate.offloads = choices;
    auto partitioned = emitProgram(*decided, execOptions, candidate.kernels);
    if (!partitioned)
      return partitioned.takeError();
    candidate.partitioned = std::move(*partitioned);
    exec::ProgramOp program = *decided->getOps<exec::ProgramOp>().begin();
    candidate.search.hostLowerBoundBytes = program.getHostLowerBound();
    if (const auto recomputing = program.getRecomputing())
      candidate.search.recomputing =
          plan::Recomputing{(*recomputing)[0], (*recomputing)[1]};
    candidate.totals = plan::totals(candidate.partitioned);
    if (*machine) {
      auto seconds = (*machine)->seconds(candidate.partitioned,
                                         compiled.stats.operators, *known);
      if (!seconds)
        return fail(model.name, ": ", seconds.error().message);
      candidate.seconds = *seconds;
    }
    return candidate;
  };
  const MemoryLimit limit = options.memory.bytes.empty() && *machine
                                ? (*machine)->memory()
                                : options.memory;
  const auto onDevices = [&](const partition::Search &by) -> Result<Candidate> {
    if (limit.bytes.empty() || !placement::isAlgorithm(by.algorithm))
      return attempt(by, std::nullopt, {}, "");
    return placeWithin(limit, *leastOf(limit), [&](int64_t bytes) {
      return attempt(by, bytes, {}, "");
    });
  };
  const auto decide = [&](const partition::Search &by) -> Result<Candidate> {
    auto best = onDevices(by);
    if (!best || options.offload.empty() || limit.isKeptBy(best->peaks()))
      return best;
    const auto placedBytes =
        placement::isAlgorithm(by.algorithm) ? leastOf(limit) : std::nullopt;
    const auto offload = [&](const std::string &choices) {
      return offloadWithin(limit, [&](const std::vector<int64_t> &capacities) {
        return attempt(by, placedBytes, capacities, choices);
      });
    };
    auto made = offload(options.offload);
    if (!made || options.offload != "both" || !*machine)
      return made;
    for (const char *one : {"moves", "recompute"}) {
      auto other = offload(one);
      if (other && limit.isKeptBy(other->peaks()) &&
          (!limit.isKeptBy(made->peaks()) || other->cost() < made->cost()))
        made = std::move(other);
    }
    return made;
  };
  std::vector<partition::Search> searches = searchesFor(options, *machine);
  auto first = decide(searches.front());
  if (!first)
    return first.takeError();
  searches.erase(searches.begin());
  auto chosen =
      choose(std::move(*first), limit, model.name,
             options.isAuto() ? int64_t(searches.size()) + 1
             : *machine ? (*machine)->enoughPlans(compiled.stats.operators)
                        : 1,
             searches, decide);
  searching.finish();
  if (!chosen)
    return chosen.takeError();
  Candidate &taken = chosen->candidate;
  compiled.stats.plansTried = chosen->tried;
  compiled.stats.plansThatFit = chosen->fitting;
  compiled.stats.compared = std::move(chosen->compared);
  compiled.stats.taken = toString(taken.by);
  compiled.stats.stepSeconds = taken.seconds;
  if (*machine)
    compiled.plan.machine = (*machine)->info(taken.partitioned);
  compiled.plan.search = std::move(taken.search);
  compiled.plan.partitioned = std::move(taken.partitioned);

  auto code = generating.get();
  // A lambda may be bound by extents, and so be generated in one program only.
  if (code && taken.kernels.functions() != kernels.functions())
    code = generateCode(taken.kernels.functions(), options.targets);
  if (!code)
    return code.takeError();
  compiled.plan.code = std::move(*code);
  compiled.plan.modelName = model.name;
  addEdgeRows(model, *module, compiled.plan);
  const plan::Totals &totals = taken.totals;
  compiled.plan.communicationBytes = totals.communicationBytes;
  compiled.plan.peakBytes = totals.peakBytes;
  compiled.plan.parameterBytes = totals.parameterBytes;
  compiled.plan.hostTraffic = totals.hostTraffic;
  compiled.plan.search.optimal =
      totals.communicationBytes == compiled.plan.search.lowerBoundBytes;
  return compiled;
}

Result<std::string> smex::pipeline::emitStage(const frontend::Model &model,
                                              const CompileOptions &options,
                                              Stage stage) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(&context, model.name);
  OwningOpRef<ModuleOp> module = semanticGraph(model, options, context);
  if (!module || failed(checkReads(semantic::mainFunction(*module))))
    return diagnostics.error();
  const auto machine = machineOf(options);
  if (!machine)
    return machine.error();
  const partition::Search search = searchesFor(options, *machine).front();
  const auto addPasses = [&](OpPassManager &manager) {
    addSemanticPasses(manager, options);
  };
  if (failed(runPasses(*module, options, addPasses)))
    return diagnostics.error();
  const auto known = listsOf(model, options, *module);
  if (!known)
    return known.error();
  const auto passes = [&](OpPassManager &manager) {
    if (stage == Stage::Decisions || stage == Stage::Exec)
      addDecisionPasses(manager, options, search, std::nullopt, *known);
    ExecOptions execOptions = execOptionsFor(options, *machine);
    execOptions.known = *known;
    if (stage == Stage::Exec)
      addExecPasses(manager, execOptions);
  };
  if (failed(runPasses(*module, options, passes)))
    return diagnostics.error();
  if (stage == Stage::Problem && placement::isAlgorithm(search.algorithm))
    return placement::emitTaskGraph(*module, *placementSite(options),
                                    options.gpus, leastOf(options.memory));
  if (stage == Stage::Problem)
    return partition::emitProblem(*module, options.gpus, search.algorithm,
                                  !options.reproducible);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(true, true));
  return text;
}
