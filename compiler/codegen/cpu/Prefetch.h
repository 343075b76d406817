// Elements whose place in memory is data: no processor foresees it, and a loop
// that waits for one row of features after the other does little else. What a
// later pass of the loop reads is asked for some passes ahead.
#ifndef SMEX_COMPILER_CODEGEN_CPU_PREFETCH_H
#define SMEX_COMPILER_CODEGEN_CPU_PREFETCH_H

#include "compiler/codegen/cpu/CpuKernel.h"

namespace smex::codegen {

/// Reads in the term, each once, whose place is data that depends on the
/// variable: `x[src[e], f]` for e. None that a condition may leave out: where
/// it does not hold, what says the place may be out of range itself.
std::vector<tdl::ExprRef> gathers(const tdl::ExprRef &term, int variable);

/// Calls `body` with kernel.at[variable] some passes ahead of `at`, yet below
/// `end`, where all that such reads need is there.
void ahead(CpuKernel &kernel, int variable, mlir::Value at, mlir::Value end,
           llvm::function_ref<void()> body);

/// Asks for what the read will need, at the current coordinates.
void prefetch(CpuKernel &kernel, const tdl::ExprRef &read);

} // namespace smex::codegen

#endif
