// What a compilation and the printing of its stages (Pipeline.h) have in
// common: how passes are run, and what a model and its options mean for them.
#ifndef SMEX_COMPILER_PIPELINE_STEPS_H
#define SMEX_COMPILER_PIPELINE_STEPS_H

#include "compiler/pipeline/Pipeline.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace smex::pipeline {

/// Collects errors as "node "conv_17": message", a line each, while it is
/// alive.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext *context, const std::string &model);

  /// What has been collected since the last time.
  Error error();

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

using AddPasses = llvm::function_ref<void(mlir::OpPassManager &)>;

mlir::LogicalResult runPasses(mlir::ModuleOp module,
                              const CompileOptions &options, AddPasses add);

/// The semantic graph, with the training step if one is wanted; null after an
/// error.
mlir::OwningOpRef<mlir::ModuleOp> semanticGraph(const frontend::Model &model,
                                                const CompileOptions &options,
                                                mlir::MLIRContext &context);

/// None, if none is given. An error if the options need one, or it has too few
/// GPUs.
Result<std::optional<OnMachine>> machineOf(const CompileOptions &options);

/// Searches in order: the one to begin with, and others if one plan is not
/// enough.
std::vector<partition::Search>
searchesFor(const CompileOptions &options,
            const std::optional<OnMachine> &machine);

bool isForGpus(const CompileOptions &options);

/// What GPUs exchange, and what their libraries compute, is memory planned for,
/// and marked; and what kernels that are generated for GPUs need.
ExecOptions execOptionsFor(const CompileOptions &options,
                           const std::optional<OnMachine> &machine);

/// Whether the search puts each operator on one GPU.
bool isPlaced(const partition::Search &search);

/// Of a module with decisions of such a search: the bytes that it says its plan
/// takes of the GPU that needs most.
int64_t placedPeakOf(mlir::ModuleOp module);

/// The options', or else the machine's.
MemoryLimit limitOf(const CompileOptions &options,
                    const std::optional<OnMachine> &machine);

/// The least of all GPUs; none without a limit.
std::optional<int64_t> leastOf(const MemoryLimit &limit);

/// By which rows are fetched: those of a model whose graph is partitioned.
Result<analysis::NamedLists> listsOf(const frontend::Model &model,
                                     const CompileOptions &options,
                                     mlir::ModuleOp module);

} // namespace smex::pipeline

#endif
