// A kernel that is built for the CPU: its function (KernelBuilder.h), and the
// schedule by which its loops are made.
#ifndef SMEX_COMPILER_CODEGEN_CPU_CPUKERNEL_H
#define SMEX_COMPILER_CODEGEN_CPU_CPUKERNEL_H

#include "compiler/codegen/cpu/Schedule.h"
#include "compiler/codegen/expression/KernelBuilder.h"

namespace smex::codegen {

class CpuKernel : public KernelBuilder {
public:
  /// See KernelBuilder. The schedule is that of the lambda.
  CpuKernel(LocBuilder &b, const std::string &symbol, const tdl::Lambda &lambda,
            DType stored, const Schedule &schedule)
      : KernelBuilder(b, symbol, lambda, stored), schedule(schedule) {}

  const Schedule &schedule;

  /// Elements of a vector.
  int64_t vector() const { return schedule.vector; }
  /// Values of a variable in the range to compute that are in whole vectors.
  mlir::Value whole(int variable);
  /// `for i = 0 to length`, as one vector.
  void vectorLoop(int64_t length, llvm::function_ref<void(mlir::Value)> body);
};

/// The function for this lambda, which must be valid and not opaque.
mlir::func::FuncOp buildKernel(LocBuilder &b, const std::string &symbol,
                               const tdl::Lambda &lambda);

/// Each fills the kernel's function but for its return, as the schedule says.
/// `term` is what is computed at each point, or added.
void buildMap(CpuKernel &kernel);
void buildGather(CpuKernel &kernel, const tdl::ExprRef &term);
void buildReduction(CpuKernel &kernel);
void buildScatter(CpuKernel &kernel);
void buildWindow(CpuKernel &kernel);
void buildScan(CpuKernel &kernel);
void buildRows(CpuKernel &kernel, const tdl::ExprRef &term);
void buildDots(CpuKernel &kernel, const tdl::ExprRef &term);
void buildNested(CpuKernel &kernel);

} // namespace smex::codegen

#endif
