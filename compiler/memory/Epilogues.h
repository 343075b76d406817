// Maps that a library may do at the place of the matrix product before them, as
// far as the two are concerned, and who else uses what the product makes: what
// of runtime/plan/Epilogue.h does not depend on the order of the list, nor on
// memory.
#ifndef SMEX_COMPILER_MEMORY_EPILOGUES_H
#define SMEX_COMPILER_MEMORY_EPILOGUES_H

#include "dialects/exec/ir/Regions.h"

#include <vector>

namespace smex::memory {

struct PossibleEpilogue {
  exec::ComputeOp product, map;
  int64_t operand;     // of the map, that the product makes
  exec::BufferOp bias; // what the map reads besides; null: nothing
};

/// In the order of the list.
std::vector<PossibleEpilogue>
possibleEpilogues(exec::ProgramOp program, exec::Regions &regions,
                  const tdl::LambdaTable &lambdas);

/// Whether all that is written of the buffer comes before the instruction.
bool isWrittenBefore(exec::BufferOp buffer, mlir::Operation *instruction);

} // namespace smex::memory

#endif
