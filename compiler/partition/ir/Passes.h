// The search as a pass; see Passes.td.
#ifndef SMEX_COMPILER_PARTITION_IR_PASSES_H
#define SMEX_COMPILER_PARTITION_IR_PASSES_H

#include "compiler/graphpartition/VertexSides.h"
#include "compiler/machine/Machine.h"
#include "compiler/partition/Graph.h"
#include "dialects/smex/ir/Smex.h"

#include "mlir/Pass/Pass.h"

namespace smex::partition {

/// The semantic graph as the search sees it. Tensors are numbered in the order
/// of `values`, operators in the order of `applications`.
struct GraphOfModule {
  OperatorGraph graph;
  std::vector<mlir::Value> values;
  /// A parameter's next value is cut as the parameter, so it is that tensor.
  std::vector<std::pair<mlir::Value, int>> nextValues;
  std::vector<semantic::ApplyOp> applications;
};

/// Without `outputReduction`, no operator may be cut along what it sums over
/// (thesis section 3.4, case 2). `known`: parameters whose values are known,
/// which say what rows of others are read.
GraphOfModule graphOf(mlir::func::FuncOp main, bool outputReduction = true,
                      const analysis::NamedLists &known = {});

/// Writes a plan as attributes: `cut` on tensors, `split` on applications, ways
/// and search on the module. `algorithm`: who made it.
void writeDecisions(mlir::ModuleOp module, GraphOfModule &input,
                    const PartitionPlan &plan, llvm::StringRef algorithm);

/// The problem of each step that the algorithm solves, as toulbar2 reads it.
Result<std::string> emitProblem(mlir::ModuleOp module, int64_t gpus,
                                std::string_view algorithm,
                                bool outputReduction = true);

#define GEN_PASS_DECL
#include "compiler/partition/ir/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/partition/ir/Passes.h.inc"

/// How fast the GPUs compute, and their fastest links, what each GPU gets of
/// them.
struct Rates {
  machines::Device device;
  double linkBytesPerSecond = 1;
};

/// With bounds for the vertices and edges of a graph; null: none. What is read
/// by `known` lists is counted row by row. With bounds and `rates`, the search
/// weighs how long the slowest group computes beside what moves
/// (SlowestGroup.h); null: bytes alone count.
std::unique_ptr<mlir::Pass>
createPartitionOf(std::shared_ptr<const graphpartition::BalancedGraph> graph,
                  PartitionOptions options, analysis::NamedLists known = {},
                  std::shared_ptr<const Rates> rates = nullptr);

} // namespace smex::partition

#endif
