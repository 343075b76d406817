// The problem (Problem.h) that a program is.
#ifndef SMEX_COMPILER_OFFLOAD_IR_PROBLEMOF_H
#define SMEX_COMPILER_OFFLOAD_IR_PROBLEMOF_H

#include "compiler/offload/Problem.h"
#include "compiler/offload/ir/Prices.h"

namespace smex::offload {

/// What may become of a buffer that has no room.
struct Choices {
  bool moves = true; // to the host, and back
  bool again = true; // forgotten, and computed again
};

/// Each worker has a problem of its own: what moves and what is computed again
/// is its own affair. Workers with shares of the same sizes, and the same
/// capacity, are of one kind, and have one together, of one memory. If there
/// are more kinds than `mostProblems`, those that lack about as much have a
/// problem together, with one memory for each kind.
///
/// Tensors are the program's buffers on the device, in order. Operations are
/// the instructions, in order, and last one that reads what outputs and updates
/// need. A compute may run again if it alone fills its result, which is no
/// partial one, and if all that it reads is whole by then. Inputs start at
/// either place, and so do parameters, but for those whose next value cannot
/// take their place: these count as nothing, and their bytes are taken from the
/// capacities, as those of libraries' scratch are.
struct ProgramProblem {
  std::vector<Problem> problems;
  std::vector<size_t> problemOf; // per worker
  std::vector<exec::BufferOp> buffers;
  std::vector<mlir::Operation *> instructions;
  /// By instruction what it takes, once more, on each worker; nothing where it
  /// may not run again.
  std::vector<std::vector<double>> seconds;
};

/// `capacities`: bytes, one per worker. Where an operation takes more, that is
/// the capacity. `machine`: what computing again costs there.
ProgramProblem problemOf(exec::ProgramOp program, exec::Regions &regions,
                         llvm::ArrayRef<int64_t> capacities,
                         const Choices &choices,
                         const machines::Machine &machine, size_t mostProblems);

} // namespace smex::offload

#endif
