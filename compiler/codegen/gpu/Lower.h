// From a kernel as MLIR to PTX, step by step.
#ifndef SMEX_COMPILER_CODEGEN_GPU_LOWER_H
#define SMEX_COMPILER_CODEGEN_GPU_LOWER_H

#include "compiler/codegen/gpu/Codegen.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace smex::codegen {

/// Registers what the kernels are made of and how it becomes LLVM IR.
void registerGpuDialects(mlir::MLIRContext &context);

/// The gpu.module in `module`: gpu, scf, memref .. -> the NVVM and LLVM
/// dialects, in place. False, with a diagnostic, where that fails.
bool lowerToNVVM(mlir::ModuleOp module);

/// What does something for kernels, of LLVM's own pipeline, which takes twice
/// as long for the same text: no calls, no vectors, and addresses, constants
/// and loops that MLIR leaves as plain as they are.
void optimizeForGpu(llvm::Module &module, llvm::TargetMachine &machine,
                    int level);

/// How a kernel's entry is called.
struct EntryPoint {
  std::string symbol;
  int64_t threads; // of a block
  /// No two of its first arguments, the tensors' addresses, are of the same
  /// memory but where this says so (mayShareMemory).
  std::vector<bool> shared;
};
/// LLVM IR -> optimized, once, and a PTX text for each architecture.
Result<std::vector<std::string>>
compileTexts(llvm::Module &module, const std::vector<EntryPoint> &entries,
             const std::vector<std::string> &archs, const GpuOptions &options);
/// Usage errors for architectures that compileTexts does not know.
Status checkArch(const std::string &arch);

/// The texts of kernels as one, with one header.
Result<std::string> joinTexts(const std::vector<std::string> &texts);

} // namespace smex::codegen

#endif
