// A front-end's model as the semantic graph in MLIR, and back, for what is
// plain C++ on a model: it reads one, adds to it, and the graph gets what was
// added.
#ifndef SMEX_COMPILER_FRONTEND_IR_SEMANTICGRAPH_H
#define SMEX_COMPILER_FRONTEND_IR_SEMANTICGRAPH_H

#include "compiler/frontend/Model.h"
#include "dialects/smex/ir/Smex.h"

namespace smex::frontend {

/// A module with the model's lambdas, each once, and its function `@main`. The
/// locations are the names of the model's nodes.
mlir::OwningOpRef<mlir::ModuleOp>
buildSemanticGraph(const Model &model, mlir::MLIRContext *context);

/// The model that the function, semantic::mainFunction, is; without the bytes
/// of its parameters.
Model modelOf(mlir::func::FuncOp main);

/// Adds to the function what the model has more since modelOf made it: inputs,
/// parameters, applications and updates at the ends of their lists. The outputs
/// become the model's, and so does what is said of graphs, and of what inputs'
/// integers may be.
void addToGraph(mlir::func::FuncOp main, const Model &model);

} // namespace smex::frontend

#endif
