// What a pass needs is in the IR's attributes: printed without locations after
// every stage, and read again, it becomes the same plan, whatever the search.
#include "compiler/emit/Emit.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/SemanticGraph.h"
#include "compiler/training/TrainingGraph.h"
#include "runtime/plan/Format.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace smex;

namespace {

frontend::Model imported(const std::string &path, bool training,
                         const std::vector<std::string> &graphs) {
  frontend::ImportOptions options;
  options.training = training;
  options.graphs = graphs;
  auto model = frontend::importModel(path, options);
  if (!model)
    FAIL(model.error().message);
  if (!training)
    return std::move(*model);
  training::TrainingOptions step;
  step.optimizer = "adam";
  step.learningRate = 0.01;
  auto built = training::buildTrainingGraph(std::move(*model), step);
  if (!built)
    FAIL(built.error().message);
  return std::move(*built);
}

class Compilation {
public:
  Compilation(const frontend::Model &model, const std::string &algorithm,
              bool printing)
      : context(mlir::MLIRContext::Threading::DISABLED), printing(printing) {
    mlir::DialectRegistry registry;
    pipeline::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = pipeline::buildSemanticGraph(model, &context);
    printAndParse();
    run(pipeline::addSemanticPasses);
    pipeline::CompileOptions options;
    options.gpus = 4;
    run([&](mlir::OpPassManager &manager) {
      partition::Search search;
      search.algorithm = algorithm;
      pipeline::addDecisionPasses(manager, options, search);
    });
    run([](mlir::OpPassManager &manager) {
      pipeline::addExecPasses(manager);
    });
  }

  /// All of the plan that the IR becomes.
  std::string text() {
    emit::KernelTable kernels({"x86-64-v3"});
    const plan::Partitioned emitted =
        emit::emit(*module->getOps<exec::ProgramOp>().begin(), kernels);
    std::string all = plan::canonicalJson(plan::programToJson(emitted.program));
    for (size_t w = 0; w < emitted.workers.size(); ++w)
      all += plan::canonicalJson(plan::workerToJson(emitted, int(w)));
    for (const auto &each : kernels.functions())
      all += each.symbol + " " + tdl::toString(each.lambda) + "\n";
    return all;
  }

private:
  void run(llvm::function_ref<void(mlir::OpPassManager &)> add) {
    mlir::PassManager manager(&context);
    add(manager);
    REQUIRE(mlir::succeeded(manager.run(*module)));
    printAndParse();
  }

  void printAndParse() {
    if (!printing)
      return;
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    module->print(stream);
    REQUIRE(printed.find("loc(") == std::string::npos);
    module = mlir::parseSourceString<mlir::ModuleOp>(printed, &context);
    REQUIRE(module);
  }

  mlir::MLIRContext context;
  bool printing;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_CASE("printed without locations and read again, the IR is the same plan") {
  const std::string models = "test/models/";
  const auto check = [](const frontend::Model &model) {
    for (const partition::Algorithm &algorithm : partition::algorithms()) {
      const std::string name(algorithm.name);
      if (name == "brute-force") // for graphs of a few nodes
        continue;
      CAPTURE(model.name, name);
      CHECK(Compilation(model, name, false).text() ==
            Compilation(model, name, true).text());
    }
  };
  check(imported(models + "mlp/model.onnx", false, {}));
  check(imported(models + "mlp/model.onnx", true, {}));
  check(imported(models + "lstm/model.onnx", true, {}));
  check(imported(models + "graph/pooling.json", false,
                 {models + "graph/edges.mtx"}));
}
