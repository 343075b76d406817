// How long operators take where groups of workers have unlike parts, as those
// of a graph's partition have: what the search weighs beside bytes
// (partition::Params::work).
//
// A step that moves little may leave half of the groups without an edge: if it
// cuts a sum's edges where the step before has cut the vertices that they lead
// to, every edge of a group's vertices is in one of its parts. Only who counts
// the edges of each group sees that.
#ifndef SMEX_COMPILER_PARTITION_IR_SLOWESTGROUP_H
#define SMEX_COMPILER_PARTITION_IR_SLOWESTGROUP_H

#include "compiler/partition/ir/Passes.h"
#include "compiler/simulate/KernelTime.h"
#include "dialects/tdl/analysis/CountedTerms.h"

namespace smex::partition {

/// Of the operators of a module, by the simulator's times of kernels. Where it
/// is known which terms of a sum count, a group has those of its own vertices.
class SlowestGroup {
public:
  /// `module`, `rates` and the lists stay alive.
  SlowestGroup(const GraphOfModule &module, mlir::ModuleOp ir,
               const Rates &rates, const analysis::NamedLists &known);

  /// Bytes that the fastest links move, one into each group, while the slowest
  /// group computes its share.
  int64_t inBytes(int op, const std::vector<Box> &shares) const;

private:
  struct Kernel {
    const simulate::KernelTime *time;
    std::shared_ptr<const analysis::CountedTerms> terms; // or null
    DType type;
  };
  double seconds(int op, const Box &share) const;

  const OperatorGraph &graph;
  const Rates &rates;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<simulate::KernelTime>> times;
  std::vector<Kernel> kernels; // per operator
};

} // namespace smex::partition

#endif
