// From the kernels as MLIR to the bytes of a shared object, step by step.
#ifndef SMEX_COMPILER_CODEGEN_CPU_LOWER_H
#define SMEX_COMPILER_CODEGEN_CPU_LOWER_H

#include "compiler/codegen/cpu/Codegen.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"

#include <map>

namespace smex::codegen {

/// Registers what the kernels are made of and how it becomes LLVM IR.
void registerDialects(mlir::MLIRContext &context);

/// linalg, scf, vector .. -> the LLVM dialect, in place.
/// False, with a diagnostic, where that fails.
bool lowerToLLVM(mlir::ModuleOp module);

/// LLVM IR -> an object file, optimized for the options' CPU. Others may call
/// all functions but the kernels proper, by name, whose tensors may share
/// memory as they say (mayShareMemory).
Result<std::string>
compileObject(llvm::Module &module,
              const std::map<std::string, std::vector<bool>> &kernels,
              const CodegenOptions &options);
/// Input (Usage) errors for CPUs that compileObject does not know.
Status checkOptions(const CodegenOptions &options);

/// Object files -> a shared object; an import is a defect.
Result<std::string> linkShared(const std::vector<std::string> &objects);

} // namespace smex::codegen

#endif
