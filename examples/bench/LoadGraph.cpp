#include "examples/bench/LoadGraph.h"

#include "compiler/frontend/ir/SemanticGraph.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Pipeline.h"

using namespace smex;

Result<partition::OperatorGraph> examples::loadGraph(const std::string &path,
                                                     bool training) {
  frontend::ImportOptions importOptions;
  importOptions.training = training;
  auto model = frontend::importModel(path, importOptions);
  if (!model)
    return model.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = frontend::buildSemanticGraph(*model, &context);
  mlir::PassManager manager(&context);
  if (training) {
    training::TrainingOptions trainingOptions;
    trainingOptions.optimizer = "momentum";
    pipeline::addTrainingPasses(manager, trainingOptions);
  }
  pipeline::CompileOptions options;
  options.gpus = 8; // for several, as sums of sums stay apart for those alone
  pipeline::addSemanticPasses(manager, options);
  if (mlir::failed(manager.run(*module)))
    return fail(path, ": the semantic passes failed");
  return partition::graphOf(semantic::mainFunction(*module)).graph;
}
