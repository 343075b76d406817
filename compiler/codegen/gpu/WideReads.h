// Reads of neighbours in memory in one access, for maps and for sums.
#ifndef SMEX_COMPILER_CODEGEN_GPU_WIDEREADS_H
#define SMEX_COMPILER_CODEGEN_GPU_WIDEREADS_H

#include "compiler/codegen/gpu/GpuKernel.h"
#include "compiler/codegen/gpu/Neighbours.h"

namespace smex::codegen {

/// The bytes of so many elements of a memory.
int64_t bytesOf(mlir::Value memory, int64_t elements);
mlir::Value addressOf(GpuKernel &kernel, mlir::Value memory,
                      const Values &indices);
/// The address is a multiple of the bytes of `width` elements.
mlir::Value isAligned(GpuKernel &kernel, mlir::Value memory,
                      const Values &indices, int64_t width);
mlir::VectorType vectorOf(mlir::Value memory, int64_t width);

class WideReads {
public:
  /// Those of the term that neighbourReads finds along the variable; `width`
  /// neighbours at once.
  WideReads(GpuKernel &kernel, const tdl::ExprRef &term, int variable,
            int64_t width);

  /// All of them are at addresses that one access may read, from the current
  /// coordinates on, and what guards them says the same of all `width`
  /// coordinates.
  mlir::Value canLoad();
  /// A vector for each read, from the current coordinates on, of anything where
  /// its guard is not true; `checked`: of a read without a guard, one element
  /// after the other where the address is not aligned.
  llvm::SmallVector<mlir::Value> load(bool checked);
  /// While body emits the term at the coordinates `k` neighbours further, its
  /// reads are taken from what was loaded.
  void at(mlir::Value start, llvm::ArrayRef<mlir::Value> loaded, int64_t k,
          llvm::function_ref<void()> body);

private:
  mlir::Value memoryOf(const tdl::ExprRef &read) {
    return kernel.operands[size_t(read->operand)];
  }
  mlir::Value loadGuarded(const NeighbourReads::Read &each);
  mlir::Value loadOne(const tdl::ExprRef &read);
  mlir::Value loadEach(const tdl::ExprRef &read);

  GpuKernel &kernel;
  LocBuilder &b;
  const size_t variable;
  const int64_t width;
  const NeighbourReads neighbours;
};

} // namespace smex::codegen

#endif
