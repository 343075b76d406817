// Numbers in the scratch memory of a block, put in order by its threads.
#ifndef SMEX_COMPILER_CODEGEN_GPU_SORT_H
#define SMEX_COMPILER_CODEGEN_GPU_SORT_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

/// Two places of the scratch memory, as numbers of words: where the list is,
/// and where there is room for another one.
struct SortedList {
  mlir::Value here, other;
};

/// Orders the first `count` words at `list.here`, which are indices. Of those
/// neither of which is `before` the other, which is an order, the one that
/// comes first stays first. All threads of the block come here, behind a
/// barrier after what they have written; at the end they have waited for each
/// other.
///
/// Runs are merged, two at a time, which are twice as long in every round: a
/// thread takes a number, and finds by halving how many of the other run go
/// before it, which says its place. The order of `count` numbers takes about
/// log(count)^2 * count / threads comparisons of a thread.
SortedList
sortByBlock(GpuKernel &kernel, SortedList list, mlir::Value count,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> before);

/// The word at `i`, an index.
mlir::Value indexAt(GpuKernel &kernel, mlir::Value i);
void setIndex(GpuKernel &kernel, mlir::Value i, mlir::Value index);

/// The first number of lo .. hi - 1 for which `condition` does not hold, or hi:
/// it holds for all those before it.
mlir::Value firstNot(GpuKernel &kernel, mlir::Value lo, mlir::Value hi,
                     llvm::function_ref<mlir::Value(mlir::Value)> condition);

} // namespace smex::codegen

#endif
