// A kernel that is built for a GPU: its function (KernelBuilder.h), the
// schedule by which its loops are made, and which thread runs it.
#ifndef SMEX_COMPILER_CODEGEN_GPU_GPUKERNEL_H
#define SMEX_COMPILER_CODEGEN_GPU_GPUKERNEL_H

#include "compiler/codegen/expression/KernelBuilder.h"
#include "compiler/codegen/gpu/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace smex::codegen {

class GpuKernel : public KernelBuilder {
public:
  /// See KernelBuilder. The schedule is that of the lambda.
  GpuKernel(LocBuilder &b, const std::string &symbol, const tdl::Lambda &lambda,
            DType stored, const GpuSchedule &schedule);

  const GpuSchedule &schedule;

  /// This thread in its block, this block, and the number of blocks.
  mlir::Value thread, block, blocks;

  /// `for i = lo; i < hi; i += step`.
  void strided(mlir::Value lo, mlir::Value hi, mlir::Value step,
               llvm::function_ref<void(mlir::Value)> body);
  /// `while condition(at): at = body(at)`, from `at` on; gives what it is then.
  Values repeat(mlir::ValueRange at,
                llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                llvm::function_ref<Values(mlir::ValueRange)> body);

  /// The digits of the numbers first, first + step, ... below end, in mixed
  /// radix: the last has the last radix, the first is not limited. Only the
  /// first number is divided; the digits of the step are added to those of what
  /// was before.
  void counted(llvm::ArrayRef<mlir::Value> radices, mlir::Value first,
               mlir::Value end, mlir::Value step,
               llvm::function_ref<void(const Values &digits)> body);
  /// The same, `many` numbers at a time as long as there are so many: their
  /// digits, each in turn. What they read can be under way together.
  void counted(llvm::ArrayRef<mlir::Value> radices, mlir::Value first,
               mlir::Value end, mlir::Value step, int64_t many,
               llvm::function_ref<void(llvm::ArrayRef<Values>)> body);

  /// Tuples of values of the variables in their ranges.
  mlir::Value count(llvm::ArrayRef<int> variables);
  /// The sizes of the variables' ranges.
  Values sizes(llvm::ArrayRef<int> variables);
  /// Gives the variables these places in their ranges while body runs.
  void atPlaces(llvm::ArrayRef<int> variables,
                llvm::ArrayRef<mlir::Value> places,
                llvm::function_ref<void()> body);
  /// Tuple number i, in row-major order.
  Values digits(llvm::ArrayRef<int> variables, mlir::Value i);
  /// Gives the variables these values, or none.
  void place(llvm::ArrayRef<int> variables, const Values &values);
  void forget(llvm::ArrayRef<int> variables);
  /// Gives the variables the values of tuple number i while body runs.
  void atTuple(llvm::ArrayRef<int> variables, mlir::Value i,
               llvm::function_ref<void()> body);
  /// Tuples of values, dealt to groups of `size` threads; all threads of a
  /// group run the body with the same values.
  void eachTuple(llvm::ArrayRef<int> variables, int64_t size,
                 llvm::function_ref<void()> body);

  /// Squares of the schedule's `tile` elements a side, of the rows and columns
  /// of each tuple of the batch, dealt to blocks: from which row and column on.
  void eachTile(llvm::ArrayRef<int> batch, mlir::Value rows,
                mlir::Value columns,
                llvm::function_ref<void(mlir::Value, mlir::Value)> body);

  /// The result's variables.
  llvm::SmallVector<int> outputs() const;

  /// A variable of this thread: an accumulator in a register.
  mlir::Value cell() { return scratch(accumulatorMemory(), 1); }
  mlir::Value get(mlir::Value cell);
  void set(mlir::Value cell, mlir::Value value);
  /// cell (op)= the term at the current coordinates.
  void addTerm(mlir::Value cell, const tdl::ExprRef &term);

  /// Memory that a block's threads share, `count` elements.
  mlir::Value shared(mlir::Type element, int64_t count);
  void barrier();
  /// Word number i, of 8 bytes, of the memory of this block alone
  /// (Launch::scratch), an i64 or an f64. What one thread writes, others read
  /// behind a barrier. Or of the memory of all blocks, where it is for parts
  /// (Launch::parts).
  mlir::Value fromScratch(mlir::Type type, mlir::Value i);
  void toScratch(mlir::Value i, mlir::Value value);
  /// What the thread `distance` lanes further in the warp has for v, a memory
  /// value.
  mlir::Value fromLane(mlir::Value v, int64_t distance);

  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value divide(mlir::Value x, mlir::Value y); // neither is negative
  mlir::Value isZero(mlir::Value x) { return equal(x, constant(0)); }

private:
  void takeScratch();

  int sharedCount = 0;
  /// The memory of all blocks, and where that of this one begins.
  mlir::Value allScratch, scratchBegin;
};

/// The function for this lambda, which must be valid, and not opaque but where
/// there is code for that (plan::hasCode), in the gpu.module that the builder
/// stands in. The schedule is that of the lambda.
mlir::func::FuncOp buildGpuKernel(LocBuilder &b, const std::string &symbol,
                                  const tdl::Lambda &lambda,
                                  const GpuSchedule &schedule);
/// The same of what is launched before it, where the launch has parts.
mlir::func::FuncOp buildGpuParts(LocBuilder &b, const std::string &symbol,
                                 const tdl::Lambda &lambda,
                                 const GpuSchedule &schedule);

/// Each fills the kernel's function but for its return, as the schedule says.
void buildGpuMap(GpuKernel &kernel);
void buildGpuThreads(GpuKernel &kernel);
void buildGpuWarps(GpuKernel &kernel);
void buildGpuScan(GpuKernel &kernel);
void buildGpuProduct(GpuKernel &kernel);
void buildGpuNested(GpuKernel &kernel);
void buildGpuSegments(GpuKernel &kernel);
void buildGpuSegmentParts(GpuKernel &kernel);
void buildGpuScatter(GpuKernel &kernel);
void buildGpuOpaque(GpuKernel &kernel);

} // namespace smex::codegen

#endif
