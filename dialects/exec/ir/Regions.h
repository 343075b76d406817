// What each worker of a program has of its buffers and index variables, as
// boxes: the attributes of Exec.td, evaluated.
#ifndef SMEX_DIALECTS_EXEC_IR_REGIONS_H
#define SMEX_DIALECTS_EXEC_IR_REGIONS_H

#include "dialects/exec/ir/Exec.h"
#include "dialects/tdl/analysis/Access.h"

#include <map>
#include <tuple>

namespace smex::exec {

/// Of a verified program, whose lambdas are those of the module that it is in.
/// What is said alike is evaluated once. References stay valid.
class Regions {
public:
  explicit Regions(ProgramOp program);

  /// What each worker has of a buffer, or of a tensor of this shape.
  const std::vector<Box> &of(BufferOp buffer);
  const std::vector<Box> &of(mlir::Attribute regions,
                             llvm::ArrayRef<int64_t> shape);
  /// Of a compute's index variables.
  const std::vector<Box> &indices(ComputeOp compute);

  /// Where the worker gets its part of a fetch or a reduction.
  std::vector<Piece> pieces(mlir::Operation *op, int64_t worker);
  /// How many elements of these come from other workers, for each worker. A
  /// worker moves only its own: of a move, here and below, there are none.
  std::vector<int64_t> received(mlir::Operation *op);
  /// How many of them from another group of the first `steps` steps.
  std::vector<int64_t> crossing(mlir::Operation *op, size_t steps);
  /// In which steps workers differ from those whose parts these are.
  StepSet crossed(mlir::Operation *op);

  /// Which workers do the instruction, a flag each.
  std::vector<bool> doers(mlir::Operation *op);

private:
  std::vector<bool> withShares(mlir::Operation *op);
  std::vector<Box> evaluate(mlir::Attribute regions,
                            llvm::ArrayRef<int64_t> shape);
  const analysis::Access &accessOf(ReadAttr read);
  tdl::LambdaTable lambdas;
  const Ways ways;
  /// By attribute and shape.
  std::map<std::pair<const void *, std::vector<int64_t>>, std::vector<Box>>
      known;
  analysis::AccessTable accesses;
  /// By what is read and what for, regions and the tensor's shape; and whether
  /// it stays in terms.
  std::map<std::tuple<const void *, const std::vector<Box> *, bool>, StepSet>
      crossings;
};

} // namespace smex::exec

#endif
