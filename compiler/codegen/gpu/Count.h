// What the threads of a block find out together: how many of a list's elements
// fulfil a condition, up to each of them.
#ifndef SMEX_COMPILER_CODEGEN_GPU_COUNT_H
#define SMEX_COMPILER_CODEGEN_GPU_COUNT_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

class BlockCount {
public:
  /// Takes shared memory, a word per thread.
  explicit BlockCount(GpuKernel &kernel);

  /// Goes through the numbers below `size`, each thread with one of its own at
  /// a time: `isOne` says whether number i counts, which it is asked of numbers
  /// below `size` only, and `use` is given i, whether it does, and how many do
  /// of those up to i. Gives how many there are. All threads of the block come
  /// here; at the end they have waited for each other, and what `use` has
  /// written is there for all.
  mlir::Value run(mlir::Value size,
                  llvm::function_ref<mlir::Value(mlir::Value)> isOne,
                  llvm::function_ref<void(mlir::Value i, mlir::Value isOne,
                                          mlir::Value upTo)>
                      use);

private:
  mlir::Value isOneBelow(mlir::Value i, mlir::Value size,
                         llvm::function_ref<mlir::Value(mlir::Value)> isOne);
  void addUp();
  mlir::Value read(mlir::Value thread);
  void write(mlir::Value count);

  GpuKernel &kernel;
  LocBuilder &b;
  const int64_t threads;
  mlir::Value counts;
};

} // namespace smex::codegen

#endif
