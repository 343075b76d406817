// From a kernel as MLIR to PTX, step by step.
#ifndef SMEX_COMPILER_CODEGEN_GPU_LOWER_H
#define SMEX_COMPILER_CODEGEN_GPU_LOWER_H

#include "compiler/codegen/gpu/Codegen.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"

namespace smex::codegen {

/// Registers what the kernels are made of and how it becomes LLVM IR.
void registerGpuDialects(mlir::MLIRContext &context);

/// The gpu.module in `module`: gpu, scf, memref .. -> the NVVM and LLVM
/// dialects, in place. False, with a diagnostic, where that fails.
bool lowerToNVVM(mlir::ModuleOp module);

/// LLVM IR -> PTX text, optimized. `entry` is launched with so many threads; no
/// two of its first arguments, the tensors' addresses, are of the same memory
/// but where `shared` says so (mayShareMemory).
Result<std::string> compileText(llvm::Module &module, llvm::StringRef entry,
                                int64_t threads,
                                const std::vector<bool> &shared,
                                const GpuOptions &options);
/// Usage errors for architectures that compileText does not know.
Status checkGpuOptions(const GpuOptions &options);

/// The texts of kernels as one, with one header.
Result<std::string> joinTexts(const std::vector<std::string> &texts);

} // namespace smex::codegen

#endif
