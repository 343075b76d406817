// A flag per thread of a block, which all of its threads see: of many flags of
// which few are set, only those are looked at one by one.
#ifndef SMEX_COMPILER_CODEGEN_GPU_FLAGS_H
#define SMEX_COMPILER_CODEGEN_GPU_FLAGS_H

#include "compiler/codegen/gpu/GpuKernel.h"

namespace smex::codegen {

class Flags {
public:
  explicit Flags(GpuKernel &kernel);

  /// Every thread of some warps sets its own. Others see it behind a barrier.
  void set(mlir::Value mine);
  /// The numbers of threads of the first `warps` warps whose flags are set, in
  /// their order, the same for all threads. Behind it, the flags are free again
  /// after a barrier.
  void each(mlir::Value warps, llvm::function_ref<void(mlir::Value)> body);

  /// Whether any is set, of all warps, which have set theirs behind a barrier.
  mlir::Value any();

private:
  mlir::Value bitOf(mlir::Value lane);

  GpuKernel &kernel;
  LocBuilder &b;
  mlir::Value words; // of a warp each
  mlir::Value lane, warpNumber;
};

} // namespace smex::codegen

#endif
