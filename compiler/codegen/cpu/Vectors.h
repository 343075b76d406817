// Expressions at neighbouring values of one index variable, as a vector: what
// does not depend on the variable is computed once and broadcast, what does is
// read from neighbouring elements.
#ifndef SMEX_COMPILER_CODEGEN_CPU_VECTORS_H
#define SMEX_COMPILER_CODEGEN_CPU_VECTORS_H

#include "compiler/codegen/cpu/CpuKernel.h"

namespace smex::codegen {

/// Whether emitVector can: f32 and f64, arithmetic, a choice by comparison
/// between what is read in any case, unconditional reads whose last index alone
/// moves with the variable, by one.
bool hasVector(const tdl::ExprRef &e, int variable);

/// The expression at kernel.at[variable] and the values that follow it, or
/// `shift` values later. With a mask, elements where it is false are not read,
/// and mean nothing.
mlir::Value emitVector(CpuKernel &kernel, const tdl::ExprRef &e, int variable,
                       mlir::Value mask = nullptr, int64_t shift = 0);

/// Elementary functions and divisions of data.
bool isSlow(const tdl::ExprRef &e);

/// What a vector of the expression along the variable has that is the same for
/// all its elements and slow to compute, in whole: factors and summands.
std::vector<tdl::ExprRef> coefficients(const tdl::ExprRef &e, int variable);

/// A vector of the kernel's accumulators, each the same.
mlir::Value broadcast(CpuKernel &kernel, mlir::Value scalar);
mlir::VectorType accumulatorVector(CpuKernel &kernel);
/// True for the first `count` elements: all, if it is large.
mlir::Value maskOf(CpuKernel &kernel, mlir::Value count);

/// The elements of a vector combined by the kernel's reducer, as a binary tree:
/// halves first.
mlir::Value combineLanes(CpuKernel &kernel, mlir::Value lanes);

/// The same of eight vectors of eight: element i is what vector i comes to.
mlir::Value combineLanesOfEach(CpuKernel &kernel,
                               llvm::ArrayRef<mlir::Value> vectors);

/// A vector on the stack that is only loaded and stored as a whole, and so
/// becomes a register.
class VectorVariable {
public:
  explicit VectorVariable(CpuKernel &kernel);
  mlir::Value get();
  void set(mlir::Value value);

private:
  CpuKernel &kernel;
  mlir::Value memory;
};

} // namespace smex::codegen

#endif
