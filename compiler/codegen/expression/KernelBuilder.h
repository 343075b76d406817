// The function that is being built for one lambda: its arguments by meaning,
// and its expressions as SSA values.
//
//     func.func @symbol(result, operands..., lo and hi of every index variable,
//                       origins of the result, origins and extents of operands)
//
// Tensors are memrefs whose last stride is 1 and whose element [0, ...] is the
// one at the buffer's origin.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELBUILDER_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELBUILDER_H

#include "compiler/codegen/expression/Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <functional>

namespace smex::codegen {

using Values = llvm::SmallVector<mlir::Value, 4>;

/// The view of a tensor of this rank.
mlir::MemRefType viewType(mlir::MLIRContext *context, DType type, int rank);

/// Which of the kernel's tensors, the result first, may lie in the same memory:
/// a map's result may overwrite operands that it reads at its own index only
/// (runtime/plan/README.md). All others are disjoint.
std::vector<bool> mayShareMemory(const tdl::Lambda &lambda);

/// Tells LLVM not to vectorize a loop, or else to interleave two vectors only:
/// processors overlap iterations by themselves, and more would cost compile
/// time.
void setLoopAnnotation(mlir::Operation *loop, bool vectorize);

class KernelBuilder {
public:
  /// Creates the function, empty, at the builder's insertion point and moves
  /// the builder into it.
  /// `stored` is the result's type in memory: that of the lambda, or 16 bits of
  /// a reduction that has been computed in f32.
  KernelBuilder(LocBuilder &b, const std::string &symbol,
                const tdl::Lambda &lambda, DType stored);

  LocBuilder &b;
  const tdl::Lambda &lambda;
  const DType stored;
  mlir::func::FuncOp function;

  mlir::Value result;
  Values operands;
  /// The range of every index variable to compute, and the current value of
  /// those inside whose loops the builder stands.
  Values lo, hi, at;
  Values resultOrigin;
  std::vector<Values> operandOrigin, operandExtent;

  /// An expression at the current coordinates, as a value (Scalars.h).
  mlir::Value emit(const tdl::ExprRef &e);
  /// An i64 expression as an `index`.
  mlir::Value emitIndex(const tdl::ExprRef &e);
  /// Where emit finds operand elements that are at hand already: a null value
  /// makes it load.
  std::function<mlir::Value(const tdl::ExprRef &read)> elementAtHand;
  /// How emit computes an operation of these operands, which are values, where
  /// it is not done as always: a null value says that it is.
  std::function<mlir::Value(const tdl::Expr &operation,
                            llvm::ArrayRef<mlir::Value> operands)>
      instead;

  /// The indices into the result's view of the current coordinates.
  Values resultIndices();
  /// The indices into an operand's view of a read at the current coordinates.
  Values readIndices(const tdl::Expr &read);
  /// Stores a value of the stored type at the current coordinates.
  void store(mlir::Value value);

  /// The term of the reduction, converted to what accumulators hold.
  mlir::Value emitTerm(const tdl::ExprRef &term);
  DType accumulator() const { return accumulatorType(lambda.result); }
  mlir::Type accumulatorMemory() {
    return memoryType(b.getContext(), accumulator());
  }
  /// a (op) c, and the identity, of the lambda's reducer.
  mlir::Value combine(mlir::Value a, mlir::Value c) {
    return emitCombine(b, lambda.reducer, accumulator(), a, c);
  }
  mlir::Value identity() {
    return emitIdentity(b, lambda.reducer, accumulator());
  }
  /// The same as a term that adds nothing.
  tdl::ExprRef nothing() const {
    return tdl::identity(lambda.reducer, lambda.result);
  }
  /// Rounds an accumulator to what is stored, and stores it.
  void storeAccumulated(mlir::Value accumulated);

  /// `for i = lo to hi step step`, the builder inside while body runs.
  void loop(mlir::Value lo, mlir::Value hi, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  /// Loops made while this is set run a few times at most, or rarely at all:
  /// vectorizing them is not worth the code.
  bool isRare = false;
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Stack memory, reserved once per call.
  mlir::Value scratch(mlir::Type element, int64_t count);

  mlir::Value constant(int64_t value) { return indexConstant(b, value); }
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// Values of a variable in the range to compute.
  mlir::Value size(int variable);

private:
  mlir::Value emitRead(const tdl::ExprRef &e);
  mlir::Value emitSelect(const tdl::Expr &e);
  mlir::Value emitLogic(const tdl::Expr &e);
  mlir::Value branch(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
};

} // namespace smex::codegen

#endif
