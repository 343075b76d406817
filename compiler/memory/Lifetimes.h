// When a program needs the bytes of its buffers.
#ifndef SMEX_COMPILER_MEMORY_LIFETIMES_H
#define SMEX_COMPILER_MEMORY_LIFETIMES_H

#include "compiler/memory/View.h"

namespace smex::memory {

/// First instruction that needs the bytes and the one after the last, over all
/// workers that have this view; of what they keep in place of another buffer,
/// for both: a buffer that another worker reads lives until that is done. -1 is
/// before the first instruction; outputs live up to one after the last.
struct Lived {
  int64_t lower, upper;
};
llvm::DenseMap<mlir::Operation *, Lived> lifetimes(exec::ProgramOp program,
                                                   const View &view);

/// Next values that can be put where their parameters are: nobody reads the
/// parameter any more when the value is written, but the very computation that
/// writes it, element by element. By buffer of the value, that of the
/// parameter.
llvm::DenseMap<mlir::Operation *, exec::BufferOp>
replacements(exec::ProgramOp program, const tdl::LambdaTable &lambdas,
             const View &view);

} // namespace smex::memory

#endif
