// What the verifiers of all operations check alike.
#ifndef SMEX_DIALECTS_EXEC_IR_VERIFY_H
#define SMEX_DIALECTS_EXEC_IR_VERIFY_H

#include "dialects/exec/ir/Exec.h"

namespace smex::exec {

/// Of an operation that stands in one: see verifyInProgram.
inline ProgramOp programOf(mlir::Operation *op) {
  return mlir::cast<ProgramOp>(op->getParentOp());
}
mlir::LogicalResult verifyInProgram(mlir::Operation *op);

bool within(const Box &box, llvm::ArrayRef<int64_t> shape);
mlir::LogicalResult verifyExtents(mlir::Operation *op,
                                  llvm::ArrayRef<int64_t> extents);
/// Of a tensor of this shape, or of index variables of these extents.
mlir::LogicalResult verifyRegions(mlir::Operation *op, mlir::Attribute regions,
                                  llvm::ArrayRef<int64_t> shape);

} // namespace smex::exec

#endif
