// The problem (Problem.h) that a program is.
#ifndef SMEX_COMPILER_OFFLOAD_IR_PROBLEMOF_H
#define SMEX_COMPILER_OFFLOAD_IR_PROBLEMOF_H

#include "compiler/offload/Problem.h"
#include "dialects/exec/ir/Regions.h"

namespace smex::offload {

/// Tensors are the program's buffers on the device, in order. Operations are
/// the instructions, in order, and last one that reads what outputs and updates
/// need. Workers with shares of the same sizes, and the same capacity, are one
/// memory. Inputs start at either place, and so do parameters, but for those
/// whose next value cannot take their place: these count as nothing, and their
/// bytes are taken from the capacities, as those of libraries' scratch are.
struct ProgramProblem {
  Problem problem;
  std::vector<exec::BufferOp> buffers;
  std::vector<mlir::Operation *> instructions;
};

/// `capacities`: bytes, one per worker. Where an operation takes more, that is
/// the capacity.
ProgramProblem problemOf(exec::ProgramOp program, exec::Regions &regions,
                         llvm::ArrayRef<int64_t> capacities);

} // namespace smex::offload

#endif
