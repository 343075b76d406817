// The execution dataflow graph; see Exec.td.
#ifndef SMEX_DIALECTS_EXEC_IR_EXEC_H
#define SMEX_DIALECTS_EXEC_IR_EXEC_H

#include "dialects/support/Box.h"
#include "dialects/support/Piece.h"
#include "dialects/tdl/ir/Tdl.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#include "dialects/exec/ir/ExecDialect.h.inc"
#include "dialects/exec/ir/ExecEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ir/ExecAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ir/ExecTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/exec/ir/ExecOps.h.inc"

namespace smex::exec {

/// One box per worker, flat, and back.
llvm::SmallVector<int64_t> flatten(llvm::ArrayRef<Box> boxes);
std::vector<Box> unflatten(llvm::ArrayRef<int64_t> flat, int64_t workers);

/// Pieces and waits per worker, flat, and back. The flat form of a verified
/// program is well formed; `rank` is that of the boxes.
llvm::SmallVector<int64_t> flatten(llvm::ArrayRef<std::vector<Piece>> pieces);
std::vector<std::vector<Piece>> unflattenPieces(llvm::ArrayRef<int64_t> flat,
                                                int64_t workers, size_t rank);
llvm::SmallVector<int64_t> flatten(llvm::ArrayRef<std::vector<Wait>> waits);
std::vector<std::vector<Wait>> unflattenWaits(llvm::ArrayRef<int64_t> flat,
                                              int64_t workers);

/// The instructions (fetch, compute, reduce) of a program in order.
std::vector<mlir::Operation *> instructions(ProgramOp program);
/// The buffer an instruction writes, and those it reads: its own worker's
/// (compute) or other workers' (fetch and reduce: see Exec.td).
BufferOp written(mlir::Operation *instruction);
std::vector<BufferOp> read(mlir::Operation *instruction);
/// Of the whole tensors.
std::vector<std::vector<int64_t>> operandShapes(ComputeOp compute);

inline BufferOp bufferOf(mlir::Value value) {
  return value.getDefiningOp<BufferOp>();
}
inline std::vector<Box> boxesOf(BufferOp buffer) {
  return unflatten(buffer.getBoxes(),
                   buffer->getParentOfType<ProgramOp>().getWorkers());
}

inline bool isParameter(Role role) {
  return role != Role::Input && role != Role::Temporary;
}
inline bool isParameter(BufferOp buffer) {
  return isParameter(buffer.getRole());
}

Reducer toReducer(tdl::Reducer reducer); // not None
tdl::Reducer toReducer(Reducer reducer);

/// Bytes that cross from one worker to another in one run.
int64_t communicationBytes(ProgramOp program);

} // namespace smex::exec

#endif
