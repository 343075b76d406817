#include "compiler/pipeline/Pipeline.h"

#include "compiler/pipeline/Candidates.h"
#include "compiler/pipeline/CheckReads.h"
#include "compiler/pipeline/GenerateCode.h"
#include "compiler/pipeline/KnownLists.h"
#include "compiler/pipeline/PlanFacts.h"
#include "compiler/pipeline/PlanLimits.h"

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

  /// When something was; 0 for what never was.
  double
  until(std::optional<std::chrono::steady_clock::time_point> when) const {
    return when ? std::chrono::duration<double>(*when - start).count() : 0;
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// The code of all lambdas. However the model is partitioned, these are the
/// same: their code is generated while the search runs, on the cores that it
/// leaves.
class CodeBesideSearch {
public:
  CodeBesideSearch(std::vector<emit::Function> of,
                   const CompileOptions &options)
      : functions(std::move(of)), options(options) {
    generating = std::async(
        std::launch::async, [this, busy = searching.get_future().share()] {
          const Clock codegen;
          auto code = generateCode(functions, this->options.targets,
                                   this->options.kernelCache, busy);
          seconds = codegen.seconds();
          return code;
        });
  }
  ~CodeBesideSearch() { searchEnds(); } // before the future waits

  /// From here on, all cores.
  void searchEnds() {
    if (!std::exchange(ended, true))
      searching.set_value();
  }

  /// Of the plan that was taken. A lambda may be bound by extents, and so be
  /// generated in one program only: then all are generated again.
  Result<plan::Code> of(const std::vector<emit::Function> &taken,
                        double &codegenSeconds) {
    searchEnds();
    auto code = generating.get();
    codegenSeconds = seconds;
    if (code && taken != functions)
      return generateCode(taken, options.targets, options.kernelCache);
    return code;
  }

private:
  const std::vector<emit::Function> functions;
  const CompileOptions &options;
  std::promise<void> searching;
  bool ended = false;
  double seconds = 0;
  std::future<Result<plan::Code>> generating; // waits when it goes
};

/// The plan that is taken of all that are made, with what there is to tell
/// about them.
Result<Candidate> search(const Prepared &prepared,
                         const emit::KernelTable &kernels,
                         CompileStats &stats) {
  const CompileOptions &options = prepared.options;
  const auto &machine = prepared.machine;
  std::vector<partition::Search> searches = searchesFor(options, machine);
  const int64_t enough =
      options.isAuto() ? int64_t(searches.size())
      : machine
          ? machine->enoughPlans(prepared.operators, options.graph != nullptr)
          : 1;
  Candidates candidates(prepared, kernels);
  const Clock clock;
  auto first = candidates.decide(searches.front());
  if (!first)
    return first.takeError();
  searches.erase(searches.begin());
  auto chosen = choose(
      std::move(*first), prepared.limit, prepared.model, enough, searches,
      options.isAuto() ? machine->otherKinds(options.graph != nullptr)
                       : std::vector<partition::Search>(),
      [&](const partition::Search &by, std::optional<double> toBeat,
          std::optional<int64_t> &works) {
        auto candidate = candidates.decide(by, toBeat);
        works = candidates.enoughBytes();
        return candidate;
      },
      /*isNamed=*/options.search && !options.isAuto());
  if (!chosen)
    return chosen.takeError();
  if (auto better = candidates.refined(chosen->candidate))
    chosen->refine(std::move(*better));
  stats.searchSeconds = clock.until(candidates.decidedAt());
  stats.plansTried = chosen->tried;
  stats.plansThatFit = chosen->fitting;
  stats.compared = std::move(chosen->compared);
  stats.taken = toString(chosen->candidate.by);
  stats.stepSeconds = chosen->candidate.seconds;
  return std::move(chosen->candidate);
}

} // namespace

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
    return machine.error();
  if (failed(runPasses(*module, options, [&](OpPassManager &manager) {
        addSemanticPasses(manager, options);
      })))
    return diagnostics.error();

  Compiled compiled;
  plan::Plan &plan = compiled.plan;
  plan.modelName = model.name;
  plan.flops = countOperators(*module, compiled.stats);
  compiled.derived = derivedParameters(*module);
  const auto known = listsOf(model, options, *module);
  if (!known)
    return known.error();
  // Of a graph that is not partitioned no rows are fetched, but each GPU's time
  // is that of its own edges there, too.
  const auto counted =
      *machine && !options.graph
          ? knownLists(*module, emit::Weights(model, compiled.derived),
                       /*inGuards=*/true)
          : known;
  if (!counted)
    return counted.error();
  const Prepared prepared{*module,
                          model.name,
                          options,
                          diagnostics,
                          *machine,
                          limitOf(options, *machine),
                          compiled.stats.operators,
                          *known,
                          *counted};

  emit::KernelTable kernels(options.targets,
                            /*library=*/!options.reproducible);
  OwningOpRef<ModuleOp> whole = module->clone();
  ExecOptions forOne;
  forOne.memory.kernelsOnGpus = isForGpus(options);
  auto unpartitioned = emitProgram(prepared, *whole, forOne, kernels);
  if (!unpartitioned)
    return unpartitioned.takeError();
  plan.unpartitioned = std::move(*unpartitioned);

  if (options.profile)
    compiled.stats.measured = countMeasured(*module, *options.profile);
  if (*machine && options.profile)
    if (Status measured =
            (*machine)->measure(*options.profile, plan.unpartitioned, *counted);
        !measured)
      return measured.takeError();

  CodeBesideSearch generating(kernels.functions(), options);
  auto taken = search(prepared, kernels, compiled.stats);
  if (!taken)
    return taken.takeError();
  auto code =
      generating.of(taken->kernels.functions(), compiled.stats.codegenSeconds);
  if (!code)
    return code.takeError();
  plan.code = std::move(*code);
  if (*machine)
    plan.machine = (*machine)->info(taken->partitioned);
  plan.search = std::move(taken->search);
  plan.partitioned = std::move(taken->partitioned);
  addEdgeRows(model, *module, plan);
  plan.communicationBytes = taken->totals.communicationBytes;
  plan.peakBytes = taken->totals.peakBytes;
  plan.parameterBytes = taken->totals.parameterBytes;
  plan.hostTraffic = taken->totals.hostTraffic;
  plan.search.optimal = plan.communicationBytes == plan.search.lowerBoundBytes;
  return compiled;
}
