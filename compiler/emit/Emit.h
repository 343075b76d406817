// From the execution graph to the plan's plain data.
#ifndef SMEX_COMPILER_EMIT_EMIT_H
#define SMEX_COMPILER_EMIT_EMIT_H

#include "compiler/emit/Kernels.h"
#include "dialects/exec/ir/Exec.h"

namespace smex::emit {

/// The program with memory planned and waits inserted, as the plan has it.
/// Kernels are numbered in order of first use.
plan::Partitioned emit(exec::ProgramOp program, KernelTable &kernels);

} // namespace smex::emit

#endif
