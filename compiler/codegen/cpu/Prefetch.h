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

/// Whether such reads need nothing of a pass but an element of a list that is
/// there for all values of the variable in the kernel's range, whatever `term`
/// asks for: data alone bounds its loop. Rows of the results that come next
/// may then be asked for, too.
bool seesPastSegments(const tdl::ExprRef &term, int variable);

/// Calls `body` with kernel.at[variable] so many passes ahead of `at`, yet
/// below `end`, where all that such reads need is there.
void ahead(CpuKernel &kernel, int variable, mlir::Value at, mlir::Value passes,
           mlir::Value end, llvm::function_ref<void()> body);

/// Asks for what the read will need, at the current coordinates, or so many
/// elements after that where it depends on the variable of a kernel's vectors.
void prefetch(CpuKernel &kernel, const tdl::ExprRef &read, int64_t shift = 0);

} // namespace smex::codegen

#endif
