// From a front-end's model to the semantic graph in MLIR.
#ifndef SMEX_COMPILER_PIPELINE_SEMANTICGRAPH_H
#define SMEX_COMPILER_PIPELINE_SEMANTICGRAPH_H

#include "compiler/frontend/Model.h"
#include "dialects/smex/ir/Smex.h"

namespace smex::pipeline {

/// A module with the model's lambdas, each once, and its function `@main`. The
/// locations are the names of the model's nodes.
mlir::OwningOpRef<mlir::ModuleOp>
buildSemanticGraph(const frontend::Model &model, mlir::MLIRContext *context);

} // namespace smex::pipeline

#endif
