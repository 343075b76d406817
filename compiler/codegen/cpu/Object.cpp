#include "compiler/codegen/cpu/Lower.h"

#include "compiler/codegen/expression/Optimize.h"
#include "compiler/codegen/expression/Targets.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace smex;
using namespace smex::codegen;

namespace {

const llvm::Triple &triple() {
  static const llvm::Triple triple("x86_64-unknown-linux-gnu");
  return triple;
}

const llvm::Target *target() { return findTarget(triple()); }

/// No function of the C library: neither calls of memset for a loop that stores
/// zeros, nor knowledge about functions that happen to be called like one.
llvm::TargetLibraryInfoImpl noLibrary() {
  llvm::TargetLibraryInfoImpl library(triple());
  library.disableAllFunctions();
  return library;
}

/// Promises that no iteration of a loop depends on another one's stores,
/// whatever memory the tensors share: each writes one element and reads only
/// that one of what it overwrites.
void markParallel(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  llvm::MDNode *group = llvm::MDNode::getDistinct(context, {});
  llvm::Metadata *accesses = llvm::MDNode::get(
      context,
      {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group});
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block) {
      if (instruction.mayReadOrWriteMemory())
        instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
      if (llvm::MDNode *loop =
              instruction.getMetadata(llvm::LLVMContext::MD_loop)) {
        llvm::SmallVector<llvm::Metadata *> parts(loop->op_begin(),
                                                  loop->op_end());
        parts.push_back(accesses);
        llvm::MDNode *parallel = llvm::MDNode::getDistinct(context, parts);
        parallel->replaceOperandWith(0, parallel); // a loop's name is the node
        instruction.setMetadata(llvm::LLVMContext::MD_loop, parallel);
      }
    }
}

/// The kernel proper stays a function of its own, as it is its arguments of
/// which LLVM may know that they do not overlap. A tensor's pointer comes twice
/// in a row, and only the second is used.
void prepareKernel(llvm::Function &function, const std::vector<bool> &shared) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.addFnAttr(llvm::Attribute::NoInline);
  size_t pointers = 0;
  for (llvm::Argument &argument : function.args())
    if (argument.getType()->isPointerTy() && !shared[pointers++ / 2])
      argument.addAttr(llvm::Attribute::NoAlias);
  if (shared[0])
    markParallel(function);
}

llvm::PipelineTuningOptions tuningOf(int optLevel) {
  llvm::PipelineTuningOptions tuning;
  // The vectorizer interleaves already; unrolling on top of it costs more time
  // and code than it saves.
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = optLevel > 1;
  tuning.SLPVectorization = optLevel > 1;
  return tuning;
}

} // namespace

Status codegen::checkOptions(const CodegenOptions &options) {
  Error error;
  error.fault = Fault::Usage;
  if (const llvm::Target *found = target()) {
    std::unique_ptr<llvm::MCSubtargetInfo> cpu(
        found->createMCSubtargetInfo(triple(), "x86-64", ""));
    if (!cpu->isCPUStringValid(options.cpuArch)) {
      error.message = "unknown CPU architecture '" + options.cpuArch +
                      "'; LLVM's names are expected, as x86-64-v3 or znver4";
      return error;
    }
    cpu.reset(found->createMCSubtargetInfo(triple(), options.cpuArch, ""));
    // Without these, fma and conversions of f16 are calls of the C library.
    if (!cpu->checkFeatures("+fma") || !cpu->checkFeatures("+f16c")) {
      error.message =
          "CPU architecture '" + options.cpuArch +
          "' lacks FMA or F16C; x86-64-v3 is the least that will do";
      return error;
    }
    return {};
  }
  error.fault = Fault::Defect;
  error.message = "LLVM was built without x86";
  return error;
}

Result<std::string>
codegen::compileObject(llvm::Module &module,
                       const std::map<std::string, std::vector<bool>> &kernels,
                       const CodegenOptions &options) {
  llvm::TargetOptions targetOptions;
  // A product and a sum stay two operations wherever a loop is cut.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target()->createTargetMachine(
      triple(), options.cpuArch, "", targetOptions, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, codeGenLevel(options.optLevel)));
  module.setTargetTriple(triple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module) {
    function.setDoesNotThrow(); // and so needs no unwind tables
    const auto kernel = kernels.find(function.getName().str());
    if (kernel != kernels.end())
      prepareKernel(function, kernel->second);
  }
  optimize(module, *machine, options.optLevel, tuningOf(options.optLevel),
           noLibrary());

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(noLibrary()));
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    Error error = fail("LLVM can't write object files for this target");
    error.fault = Fault::Defect;
    return error;
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}
