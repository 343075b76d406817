#include "compiler/codegen/gpu/Lower.h"

#include "compiler/codegen/expression/Optimize.h"
#include "compiler/codegen/expression/Targets.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace smex;
using namespace smex::codegen;

namespace {

const llvm::Triple &triple() {
  static const llvm::Triple triple("nvptx64-nvidia-cuda");
  return triple;
}

const llvm::Target *target() { return findTarget(triple()); }

/// The number in sm_80; 0 for other names.
int numberOf(llvm::StringRef arch) {
  int number = 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, number))
    return 0;
  return number;
}

/// The oldest version of PTX that will do, as drivers refuse newer ones than
/// they know: that of CUDA 11.8, and of 12.0 for Hopper. LLVM knows the least
/// for later architectures.
const char *ptxVersion(llvm::StringRef arch) {
  const int number = numberOf(arch);
  return number < 90 ? "+ptx78" : number == 90 ? "+ptx80" : "";
}

/// NVPTX (LLVM 22) takes `y < 64 ? x << y : 0` for its own shift of a 64-bit x,
/// which looks at the low 32 bits of y only. An amount that is masked is not
/// what is compared, and means the same: a shift by more has no meaning.
void maskShifts(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &shift : llvm::instructions(function)) {
      const unsigned opcode = shift.getOpcode();
      if ((opcode != llvm::Instruction::Shl &&
           opcode != llvm::Instruction::LShr) ||
          !shift.getType()->isIntegerTy(64) ||
          llvm::isa<llvm::Constant>(shift.getOperand(1)))
        continue;
      llvm::IRBuilder<> b(&shift);
      shift.setOperand(1, b.CreateAnd(shift.getOperand(1), 63));
    }
}

/// Kernels become entries; what they call is inlined.
void prepare(llvm::Module &module, const std::vector<EntryPoint> &entries) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    const auto entry = llvm::find_if(entries, [&](const EntryPoint &each) {
      return function.getName() == each.symbol;
    });
    if (entry == entries.end()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
      continue;
    }
    function.addFnAttr("nvvm.reqntid", std::to_string(entry->threads));
    for (auto [i, isShared] : llvm::enumerate(entry->shared))
      if (!isShared && i < function.arg_size())
        function.addParamAttr(unsigned(i), llvm::Attribute::NoAlias);
  }
  // Texts that are joined may have tables of the same name.
  const auto isOwn = [&](llvm::StringRef name) {
    return llvm::any_of(entries, [&](const EntryPoint &each) {
      return name.starts_with(each.symbol + ".");
    });
  };
  for (llvm::GlobalVariable &variable : module.globals())
    if (!isOwn(variable.getName()))
      variable.setName(entries.front().symbol + "." + variable.getName());
}

Error defectOf(llvm::StringRef entry, const std::string &what) {
  return defect("kernel '" + entry.str() + "' " + what);
}

std::unique_ptr<llvm::TargetMachine> machineFor(const std::string &arch,
                                                int optLevel) {
  llvm::TargetOptions options;
  // A product and a sum stay two operations.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.MCOptions.AsmVerbose = false;
  return std::unique_ptr<llvm::TargetMachine>(target()->createTargetMachine(
      triple(), arch, ptxVersion(arch), options, std::nullopt, std::nullopt,
      codeGenLevel(optLevel)));
}

/// `first`: an entry, for messages.
Result<std::string> write(llvm::Module &module, llvm::TargetMachine &machine,
                          const std::string &first) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return defectOf(first, "can't be written as PTX");
  passes.run(module);
  if (text.str().contains(".extern") || text.str().contains("call.uni"))
    return defectOf(first, "calls what is not there");
  return text.str().str();
}

constexpr llvm::StringRef lastOfHeader = ".address_size 64\n";

} // namespace

Status codegen::checkArch(const std::string &arch) {
  if (!target())
    return defect("LLVM was built without NVPTX");
  std::unique_ptr<llvm::MCSubtargetInfo> gpu(
      target()->createMCSubtargetInfo(triple(), "sm_80", ""));
  if (numberOf(arch) >= 80 && gpu->isCPUStringValid(arch))
    return {};
  Error error;
  error.fault = Fault::Usage;
  error.message = "unknown GPU architecture '" + arch +
                  "'; sm_80 runs on every GPU since Ampere, sm_90 since Hopper";
  return error;
}

Result<std::vector<std::string>> codegen::compileTexts(
    llvm::Module &module, const std::vector<EntryPoint> &entries,
    const std::vector<std::string> &archs, const GpuOptions &options) {
  // What is done once is done for the oldest architecture that there is, so
  // that a text does not depend on which others are asked for.
  const auto oldest = machineFor("sm_80", options.optLevel);
  module.setTargetTriple(triple());
  module.setDataLayout(oldest->createDataLayout());
  prepare(module, entries);
  const std::string &first = entries.front().symbol;
  if (llvm::verifyModule(module))
    return defectOf(first, "becomes malformed LLVM IR");
  optimizeForGpu(module, *oldest, options.optLevel);
  maskShifts(module);
  std::vector<std::string> texts;
  for (const std::string &arch : archs) {
    // The code generator changes the module that it is given. What it makes of
    // a copy is ordered otherwise than what it makes of the module itself.
    const auto copy = llvm::CloneModule(module);
    Result<std::string> text =
        write(*copy, *machineFor(arch, options.optLevel), first);
    if (!text)
      return text.takeError();
    texts.push_back(std::move(*text));
  }
  return texts;
}

Result<std::string> codegen::joinTexts(const std::vector<std::string> &texts) {
  std::string joined;
  for (const std::string &text : texts) {
    const size_t header = text.find(lastOfHeader.str());
    if (header == std::string::npos)
      return defect("PTX without a header");
    const size_t from = joined.empty() ? 0 : header + lastOfHeader.size();
    joined.append(text, from);
  }
  return joined;
}
