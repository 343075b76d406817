// What a pass needs is in the IR's attributes: printed without locations after
// every stage, and read again, it becomes the same plan, whatever the search.
#include "compiler/emit/Emit.h"
#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Format.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace smex;

namespace {

frontend::Model imported(const std::string &path, bool training,
                         const std::vector<std::string> &graphs,
                         std::optional<double> room) {
  frontend::ImportOptions options;
  options.training = training;
  options.graphs = graphs;
  options.graphRoom = room;
  auto model = frontend::importModel(path, options);
  if (!model)
    FAIL(model.error().message);
  return std::move(*model);
}

class Compilation {
public:
  Compilation(const frontend::Model &model, bool training,
              const std::string &algorithm, bool printing)
      : context(mlir::MLIRContext::Threading::DISABLED), printing(printing) {
    mlir::DialectRegistry registry;
    pipeline::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = frontend::buildSemanticGraph(model, &context);
    printAndParse();
    if (training)
      run([](mlir::OpPassManager &manager) {
        training::TrainingOptions step;
        step.optimizer = "adam";
        step.learningRate = 0.01;
        pipeline::addTrainingPasses(manager, step);
      });
    pipeline::CompileOptions options;
    options.gpus = 4;
    run([&](mlir::OpPassManager &manager) {
      pipeline::addSemanticPasses(manager, options);
    });
    run([&](mlir::OpPassManager &manager) {
      partition::Search search;
      search.algorithm = algorithm;
      pipeline::addDecisionPasses(manager, options, search);
    });
    run([](mlir::OpPassManager &manager) { pipeline::addExecPasses(manager); });
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
  const auto check = [](const std::string &path, bool training,
                        const std::vector<std::string> &graphs,
                        std::optional<double> room = {}) {
    const frontend::Model model = imported(path, training, graphs, room);
    for (const partition::Algorithm &algorithm : partition::algorithms()) {
      const std::string name(algorithm.name);
      if (name == "brute-force") // for graphs of a few nodes
        continue;
      CAPTURE(model.name, name);
      CHECK(Compilation(model, training, name, false).text() ==
            Compilation(model, training, name, true).text());
    }
  };
  check(models + "mlp/model.onnx", false, {});
  check(models + "mlp/model.onnx", true, {});
  check(models + "lstm/model.onnx", true, {});
  check(models + "graph/pooling.json", false, {models + "graph/edges.mtx"});
  check(models + "graph/pooling.json", false, {models + "graph/edges.mtx"},
        0.5);
}
