#include "compiler/codegen/expression/Optimize.h"

#include <algorithm>

using namespace smex;

static llvm::OptimizationLevel levelOf(int level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

llvm::CodeGenOptLevel codegen::codeGenLevel(int level) {
  return *llvm::CodeGenOpt::getLevel(std::clamp(level, 0, 3));
}

codegen::Optimizer::Optimizer(
    llvm::TargetMachine &machine, const llvm::PipelineTuningOptions &tuning,
    const std::optional<llvm::TargetLibraryInfoImpl> &library)
    : builder(&machine, tuning) {
  if (library)
    functions.registerPass(
        [&] { return llvm::TargetLibraryAnalysis(*library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
}

void codegen::optimize(
    llvm::Module &module, llvm::TargetMachine &machine, int level,
    const llvm::PipelineTuningOptions &tuning,
    const std::optional<llvm::TargetLibraryInfoImpl> &library) {
  Optimizer optimizer(machine, tuning, library);
  llvm::ModulePassManager passes =
      level == 0
          ? optimizer.builder.buildO0DefaultPipeline(levelOf(0))
          : optimizer.builder.buildPerModuleDefaultPipeline(levelOf(level));
  passes.run(module, optimizer.modules);
}
