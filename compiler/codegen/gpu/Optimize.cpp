#include "compiler/codegen/expression/Optimize.h"

#include "compiler/codegen/gpu/Lower.h"

#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace smex;

/// Passes for the functions, after all is inlined.
static FunctionPassManager passesForFunctions() {
  FunctionPassManager passes;
  const auto forLoops = [&](auto pass, bool usesMemory) {
    passes.addPass(
        createFunctionToLoopPassAdaptor(std::move(pass), usesMemory));
  };
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager rotate;
  rotate.addPass(LoopRotatePass());
  rotate.addPass(LICMPass(LICMOptions()));
  forLoops(std::move(rotate), /*usesMemory=*/true);
  passes.addPass(SimplifyCFGPass());
  LoopPassManager count;
  count.addPass(IndVarSimplifyPass());
  count.addPass(LoopFullUnrollPass(/*OptLevel=*/2));
  forLoops(std::move(count), /*usesMemory=*/false);
  passes.addPass(SROAPass(SROAOptions::ModifyCFG)); // what loops indexed
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2)));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  forLoops(LICMPass(LICMOptions()), /*usesMemory=*/true);
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  return passes;
}

void codegen::optimizeForGpu(Module &module, TargetMachine &machine,
                             int level) {
  PipelineTuningOptions tuning;
  // Threads are the vectors' elements.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  if (level == 0)
    return optimize(module, machine, level, tuning);
  Optimizer optimizer(machine, tuning);
  ModulePassManager passes;
  optimizer.builder.invokePipelineStartEPCallbacks(passes,
                                                   OptimizationLevel::O2);
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(createModuleToFunctionPassAdaptor(passesForFunctions()));
  passes.addPass(GlobalDCEPass());
  passes.run(module, optimizer.modules);
}
