// The execution dataflow graph; see Exec.td.
#ifndef SMEX_DIALECTS_EXEC_IR_EXEC_H
#define SMEX_DIALECTS_EXEC_IR_EXEC_H

#include "dialects/smex/ir/Smex.h"
#include "dialects/support/Queue.h"
#include "dialects/support/Runs.h"
#include "dialects/support/Wait.h"
#include "dialects/tdl/ir/Tdl.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

namespace smex::exec {
/// Per worker.
using PieceLists = std::vector<std::vector<Piece>>;
using RowLists = std::vector<Runs>;
using WaitList = std::vector<Wait>;

/// Whether an attribute says what each worker has: see Exec.td.
bool isRegions(mlir::Attribute attribute);

namespace detail {
struct BoxesAttrStorage;
struct PiecesAttrStorage;
struct RowsAttrStorage;
struct WaitsAttrStorage;
} // namespace detail
} // namespace smex::exec

#include "dialects/exec/ir/ExecDialect.h.inc"
#include "dialects/exec/ir/ExecEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ir/ExecAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ir/ExecTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/exec/ir/ExecOps.h.inc"

namespace smex::exec {

/// The instructions (fetch, compute, reduce, to_host, from_host) of a program
/// in order.
std::vector<mlir::Operation *> instructions(ProgramOp program);
/// The buffer an instruction writes, and those it reads: its own worker's
/// (compute and moves) or other workers' (fetch and reduce: see Exec.td).
BufferOp written(mlir::Operation *instruction);
std::vector<BufferOp> read(mlir::Operation *instruction);
/// The queue of a worker that does an instruction.
Queue queueOf(mlir::Operation *instruction);
/// Whether it copies a worker's own buffer between the device and the host.
bool isMove(mlir::Operation *instruction);
/// Of the whole tensors.
std::vector<std::vector<int64_t>> operandShapes(ComputeOp compute);
/// The only compute that writes the buffer; null if there is none, or several
/// instructions do.
ComputeOp makerOf(BufferOp buffer);

inline BufferOp bufferOf(mlir::Value value) {
  return value.getDefiningOp<BufferOp>();
}
inline bool isParameter(Role role) {
  return role != Role::Input && role != Role::Temporary;
}
inline bool isParameter(BufferOp buffer) {
  return isParameter(buffer.getRole());
}

/// On workers that have not kept it.
inline bool isOnHost(BufferOp buffer) {
  return buffer.getSpace() == Space::Host;
}
/// Whether nothing fills it on the worker, since that has the same already.
bool isKept(BufferOp buffer, int64_t worker);
/// What those have instead; null: itself.
BufferOp keptAs(BufferOp buffer);
/// The buffer whose bytes the worker has for it: itself, or what it keeps in
/// place of it.
BufferOp storageOf(BufferOp buffer, int64_t worker);
/// Whether that is on the worker's host.
bool isOnHostOf(BufferOp buffer, int64_t worker);

/// Steps of these ways make no more workers, and are no more, than programs may
/// have; else an error.
mlir::LogicalResult
verifyWays(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           llvm::ArrayRef<int64_t> ways);

Reducer toReducer(tdl::Reducer reducer); // not None
tdl::Reducer toReducer(Reducer reducer);

} // namespace smex::exec

#endif
