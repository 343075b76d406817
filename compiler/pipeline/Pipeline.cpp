#include "compiler/pipeline/Pipeline.h"

#include "compiler/emit/Emit.h"
#include "compiler/pipeline/CheckReads.h"
#include "compiler/pipeline/GenerateCode.h"
#include "compiler/pipeline/KnownLists.h"
#include "compiler/pipeline/LessMemory.h"
#include "compiler/pipeline/PlanFacts.h"
#include "compiler/pipeline/PlanLimits.h"
#include "compiler/pipeline/Steps.h"
#include "compiler/placement/Algorithm.h"
#include "runtime/plan/Check.h"

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
  // Of a graph that is not partitioned no rows are fetched, but each GPU's time
  // is that of its own edges there, too.
  const auto counted =
      *machine && !options.graph
          ? knownLists(*module, emit::Weights(model, compiled.derived),
                       /*inGuards=*/true)
          : known;
  if (!counted)
    return counted.error();

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

  const MemoryLimit limit = limitOf(options, *machine);
  const Clock search;
  const auto attempt = [&](const partition::Search &by,
                           std::optional<int64_t> placedBytes,
                           const std::vector<int64_t> &capacities,
                           const std::string &choices) -> Result<Candidate> {
    OwningOpRef<ModuleOp> decided = module->clone();
    ExecOptions execOptions =
        execOptionsFor(options, by.withoutMachine ? std::nullopt : *machine);
    if (failed(runPasses(*decided, options, [&](OpPassManager &manager) {
          addDecisionPasses(manager, options, by, placedBytes, *known,
                            execOptions.memory);
        })))
      return diagnostics.error();
    compiled.stats.searchSeconds = search.seconds();
    execOptions.known = *known;
    execOptions.offload.capacities.assign(capacities.begin(), capacities.end());
    execOptions.offload.choices = choices;
    if (options.machine)
      execOptions.offloadOn =
          std::make_shared<const machines::Machine>(*options.machine);
    const auto inOrder = [&](ListOrder order) -> Result<Candidate> {
      OwningOpRef<ModuleOp> ordered = decided->clone();
      execOptions.order = order;
      Candidate candidate{by, {}, searchInfo(*decided), {}, kernels};
      candidate.offloads = choices;
      auto partitioned = emitProgram(*ordered, execOptions, candidate.kernels);
      if (!partitioned)
        return partitioned.takeError();
      candidate.partitioned = std::move(*partitioned);
      exec::ProgramOp program = *ordered->getOps<exec::ProgramOp>().begin();
      candidate.search.hostLowerBoundBytes = program.getHostLowerBound();
      if (const auto recomputing = program.getRecomputing())
        candidate.search.recomputing =
            plan::Recomputing{(*recomputing)[0], (*recomputing)[1]};
      candidate.totals = plan::totals(candidate.partitioned);
      if (*machine) {
        auto seconds = (*machine)->seconds(candidate.partitioned,
                                           compiled.stats.operators, *counted);
        if (!seconds)
          return fail(model.name, ": ", seconds.error().message);
        candidate.seconds = *seconds;
      }
      return candidate;
    };
    if (!isPlaced(by))
      return inOrder(ListOrder::FetchedLate);
    if (!capacities.empty())
      return inOrder(ListOrder::FetchedWhenMade);
    const int64_t enough =
        *machine ? (*machine)->enoughPlans(compiled.stats.operators) : 1;
    return fastestOrder(placedPeakOf(*decided), limit, enough, inOrder);
  };
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
    const int64_t bound = made->search.hostLowerBoundBytes.value_or(0);
    for (const char *one : {"moves", "recompute"}) {
      auto other = offload(one);
      if (other && limit.isKeptBy(other->peaks()) &&
          (!limit.isKeptBy(made->peaks()) || other->cost() < made->cost()))
        made = std::move(other);
    }
    boundBy(bound, *made);
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
             : *machine ? (*machine)->enoughPlans(compiled.stats.operators,
                                                  options.graph != nullptr)
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
