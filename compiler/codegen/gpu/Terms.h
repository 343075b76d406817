// A thread's terms, added to its cell one after the other. Several are read
// before the first of them is added, so that the thread waits for memory once
// for all of them.
#ifndef SMEX_COMPILER_CODEGEN_GPU_TERMS_H
#define SMEX_COMPILER_CODEGEN_GPU_TERMS_H

#include "compiler/codegen/expression/Nest.h"
#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

/// Every `step`th tuple of the schedule's variables from number `first` on; or,
/// where the schedule has neighbours read at once and the last variable's range
/// is a multiple of that, every `step`th group of neighbours.
void addTuples(GpuKernel &kernel, const tdl::ExprRef &term, mlir::Value cell,
               mlir::Value first, mlir::Value step);

/// The variable from lo to hi, by `step`.
void addRange(GpuKernel &kernel, const tdl::ExprRef &term, mlir::Value cell,
              int variable, mlir::Value lo, mlir::Value hi, mlir::Value step);

/// All that the nest of the schedule's variables goes through.
void addNest(GpuKernel &kernel, Nest &nest, const tdl::ExprRef &term,
             mlir::Value cell);

} // namespace smex::codegen

#endif
