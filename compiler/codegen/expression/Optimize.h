// LLVM's passes, for whichever processor.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_OPTIMIZE_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_OPTIMIZE_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <optional>

namespace smex::codegen {

/// Levels 0 to 3, as clang's -O; others count as 3.
llvm::CodeGenOptLevel codeGenLevel(int level);

/// LLVM's passes and analyses for one module.
struct Optimizer {
  Optimizer(llvm::TargetMachine &machine,
            const llvm::PipelineTuningOptions &tuning,
            const std::optional<llvm::TargetLibraryInfoImpl> &library = {});

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
};

/// LLVM's own pipeline. `library`: the functions of the C library that there
/// are; LLVM's idea of them where it is not given.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level,
              const llvm::PipelineTuningOptions &tuning,
              const std::optional<llvm::TargetLibraryInfoImpl> &library = {});

} // namespace smex::codegen

#endif
