// The exported entry of a kernel,
//
//     .visible .entry symbol(.param .u64 for each pointer,
//                            .param .u64 for each number)
//
// with one pointer more, behind the others, where the kernel has scratch memory
// (plan::hasScratch), or, where these are more than there is room for, one
// .param .u64, the address of all of them. It hands its arguments to the
// kernel's function.
#ifndef SMEX_COMPILER_CODEGEN_GPU_ENTRY_H
#define SMEX_COMPILER_CODEGEN_GPU_ENTRY_H

#include "compiler/codegen/expression/Scalars.h"
#include "runtime/plan/Launch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace smex::codegen {

/// Whether the arguments are in memory (Launch::inMemory), of a launch that is
/// complete but for that.
bool takesMemory(const tdl::Lambda &lambda, const plan::Launch &launch);

void buildGpuEntry(LocBuilder &b, const std::string &symbol,
                   const tdl::Lambda &lambda, const plan::Launch &launch,
                   mlir::func::FuncOp kernel);

} // namespace smex::codegen

#endif
