#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/CheckReads.h"
#include "compiler/pipeline/Steps.h"
#include "compiler/placement/Algorithm.h"

using namespace mlir;
using namespace smex;
using namespace smex::pipeline;

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
    ExecOptions execOptions = execOptionsFor(options, *machine);
    execOptions.known = *known;
    if (isPlaced(search))
      execOptions.order = ListOrder::FetchedWhenMade;
    if (stage == Stage::Decisions || stage == Stage::Exec)
      // As the first plan that is made of them.
      addDecisionPasses(manager, options, search,
                        leastOf(limitOf(options, *machine)), *known,
                        execOptions.memory);
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
