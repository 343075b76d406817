// Which results are written over an operand.
#ifndef SMEX_COMPILER_MEMORY_INPLACE_H
#define SMEX_COMPILER_MEMORY_INPLACE_H

#include "compiler/memory/View.h"
#include "dialects/exec/ir/Regions.h"

namespace smex::memory {

/// By buffer of a result, that of the operand whose bytes it takes: the
/// operand is used for the last time, and each of its elements is read only for
/// the one that takes its place, on every worker that has this view. So a sum
/// of gradients grows in one place, and an activation function needs none.
/// Parameters and inputs are never written over; `taken` are results that have
/// a place already.
llvm::DenseMap<mlir::Operation *, exec::BufferOp>
inPlaceResults(exec::ProgramOp program, exec::Regions &regions,
               const tdl::LambdaTable &lambdas,
               const llvm::DenseMap<mlir::Operation *, exec::BufferOp> &taken,
               const View &view);

} // namespace smex::memory

#endif
