#include "examples/bench/LoadGraph.h"

#include "compiler/frontend/Model.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/SemanticGraph.h"
#include "compiler/training/TrainingGraph.h"

using namespace smex;

Result<partition::OperatorGraph> examples::loadGraph(const std::string &path,
                                                     bool training) {
  frontend::ImportOptions options;
  options.training = training;
  auto model = frontend::importModel(path, options);
  if (model && training) {
    training::TrainingOptions trainingOptions;
    trainingOptions.optimizer = "momentum";
    model = training::buildTrainingGraph(std::move(*model), trainingOptions);
  }
  if (!model)
    return model.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = pipeline::buildSemanticGraph(*model, &context);
  mlir::PassManager manager(&context);
  pipeline::addSemanticPasses(manager);
  if (mlir::failed(manager.run(*module)))
    return fail(path, ": the semantic passes failed");
  return partition::graphOf(semantic::mainFunction(*module)).graph;
}
