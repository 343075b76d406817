// What a plan says of the semantic graph that it was made of.
#ifndef SMEX_COMPILER_PIPELINE_PLANFACTS_H
#define SMEX_COMPILER_PIPELINE_PLANFACTS_H

#include "compiler/pipeline/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"

namespace smex::pipeline {

/// How the partition was found, as the search wrote it to the module.
plan::SearchInfo searchInfo(mlir::ModuleOp module);

/// Counts applications and distinct lambdas. Returns the flops of all
/// applications.
int64_t countOperators(mlir::ModuleOp module, CompileStats &stats);

/// Applications that the profile has.
int64_t countMeasured(mlir::ModuleOp module, const machines::Profile &profile);

/// Parameters that are computed of those that the model has.
std::vector<emit::DerivedParameter> derivedParameters(mlir::ModuleOp module);

/// What has a row per edge of a graph that is part of the model; of the inputs
/// and outputs that the program has.
void addEdgeRows(const frontend::Model &model, mlir::ModuleOp module,
                 plan::Plan &plan);

} // namespace smex::pipeline

#endif
