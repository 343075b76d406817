// What a call of a generated kernel says (runtime/plan/README.md, "Kernels"),
// as values: an entry takes it apart by its own calling convention, and hands
// it to the kernel's function (KernelBuilder.h).
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_ARGUMENTS_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_ARGUMENTS_H

#include "compiler/codegen/expression/Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace smex::codegen {

/// One dimension of a tensor in the ABI; the result has no extents.
struct Dimension {
  mlir::Value origin, stride, extent;
};

struct Arguments {
  llvm::SmallVector<mlir::Value> lo, hi;   // of every index variable
  llvm::SmallVector<mlir::Value> pointers; // the result's first
  llvm::SmallVector<llvm::SmallVector<Dimension>> dims; // of the same tensors
};

/// Asks for pointers and numbers (i64), each in the order of the ABI.
Arguments takeArguments(LocBuilder &b, const tdl::Lambda &lambda,
                        const std::function<mlir::Value()> &nextPointer,
                        const std::function<mlir::Value()> &nextNumber);

/// How many of the two there are.
int64_t countPointers(const tdl::Lambda &lambda);
int64_t countNumbers(const tdl::Lambda &lambda);

/// Makes neighbouring variables one where rows follow each other without gaps
/// (Merge.h), and calls the kernel. `more` points to memory of rank 1 that is
/// its last argument, if there is such.
void callKernel(LocBuilder &b, const tdl::Lambda &lambda, Arguments arguments,
                mlir::func::FuncOp kernel, mlir::Value more = {});

} // namespace smex::codegen

#endif
