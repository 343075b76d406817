#include "compiler/codegen/gpu/Codegen.h"

#include "compiler/codegen/expression/CompileEach.h"
#include "compiler/codegen/gpu/Entry.h"
#include "compiler/codegen/gpu/GpuKernel.h"
#include "compiler/codegen/gpu/Lower.h"
#include "runtime/plan/Target.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringExtras.h"

#include <type_traits>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

/// Stands in the body of a new gpu.module in the module.
gpu::GPUModuleOp startModule(LocBuilder &b, ModuleOp module) {
  b.setInsertionPointToEnd(module.getBody());
  auto gpuModule = gpu::GPUModuleOp::create(b, "kernels");
  b.setInsertionPointToEnd(gpuModule.getBody());
  return gpuModule;
}

bool hasCode(const tdl::Lambda &lambda) {
  return plan::hasCode(plan::TargetKind::Cuda, lambda);
}

plan::Launch completeLaunch(const tdl::Lambda &lambda,
                            const GpuSchedule &schedule) {
  plan::Launch launch = launchOf(schedule, lambda);
  launch.inMemory = takesMemory(lambda, launch);
  return launch;
}

/// A request's functions, as what the module exports.
void build(LocBuilder &b, const KernelRequest &request,
           const GpuOptions &options, std::vector<EntryPoint> &entries) {
  const tdl::Lambda &lambda = request.lambda;
  const GpuSchedule schedule = chooseGpuSchedule(lambda, options.processor);
  const plan::Launch launch = completeLaunch(lambda, schedule);
  const auto enter = [&](const std::string &symbol, auto build) {
    func::FuncOp kernel = build(b, symbol + ".kernel", lambda, schedule);
    buildGpuEntry(b, symbol, lambda, launch, kernel);
    entries.push_back(
        {symbol, launch.threads,
         launch.inMemory ? std::vector<bool>() : mayShareMemory(lambda)});
  };
  enter(request.symbol, buildGpuKernel);
  if (launch.parts.along >= 0)
    enter(plan::partsSymbol(request.symbol), buildGpuParts);
}

Result<KernelCode> compileOne(MLIRContext &context,
                              const KernelRequest &request,
                              const std::vector<std::string> &archs,
                              const GpuOptions &options) {
  Diagnostics diagnostics(&context);
  const auto failed = [&](const std::string &what) {
    return defect(nameOf(request) + " " + what + ": " + diagnostics.text);
  };
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  gpu::GPUModuleOp gpuModule = startModule(b, *module);
  std::vector<EntryPoint> entries;
  build(b, request, options, entries);
  if (mlir::failed(verify(*module)))
    return failed("is malformed");
  if (!lowerToNVVM(*module))
    return failed("does not lower to NVVM");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(gpuModule, llvmContext, "kernels");
  if (!code)
    return failed("does not become LLVM IR");
  return compileTexts(*code, entries, archs, options);
}

/// What texts depend on of them. The processor's sizes are nothing but
/// integers, and stand for themselves.
std::string optionsText(const GpuOptions &options,
                        const std::vector<std::string> &archs) {
  static_assert(std::has_unique_object_representations_v<GpuProcessor>);
  const auto *sizes = reinterpret_cast<const char *>(&options.processor);
  return "gpu " + llvm::join(archs, ",") + " " +
         std::to_string(options.optLevel) + " " +
         std::string(sizes, sizeof options.processor);
}

} // namespace

Result<GpuCode> codegen::compilePtx(const std::vector<KernelRequest> &requests,
                                    const GpuOptions &options) {
  auto code = compilePtx(requests, {options.arch}, options);
  if (!code)
    return code.takeError();
  return std::move(code->front());
}

Result<std::vector<GpuCode>>
codegen::compilePtx(const std::vector<KernelRequest> &requests,
                    const std::vector<std::string> &archs,
                    const GpuOptions &options) {
  for (const std::string &arch : archs)
    if (Status valid = checkArch(arch); !valid)
      return valid.takeError();
  if (Status valid = checkRequests(requests, hasCode); !valid)
    return valid.takeError();
  Result<std::vector<KernelCode>> kernels = compileEach(
      requests, {options.busy, options.cache, optionsText(options, archs)},
      registerGpuDialects,
      [&](MLIRContext &context, const KernelRequest &request) {
        return compileOne(context, request, archs, options);
      });
  if (!kernels)
    return kernels.takeError();
  std::vector<plan::Launch> launches;
  for (const KernelRequest &request : requests)
    launches.push_back(completeLaunch(
        request.lambda, chooseGpuSchedule(request.lambda, options.processor)));
  std::vector<GpuCode> codes;
  for (size_t a = 0; a < archs.size(); ++a) {
    std::vector<std::string> texts;
    for (KernelCode &each : *kernels)
      texts.push_back(std::move(each[a]));
    Result<std::string> ptx = joinTexts(texts);
    if (!ptx)
      return ptx.takeError();
    codes.push_back({std::move(*ptx), launches});
  }
  return codes;
}

Result<std::string> codegen::gpuKernelText(const KernelRequest &request) {
  if (Status valid = checkRequest(request, hasCode); !valid)
    return valid.takeError();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerGpuDialects(context);
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  startModule(b, *module);
  func::FuncOp function = buildGpuKernel(b, request.symbol, request.lambda,
                                         chooseGpuSchedule(request.lambda));
  return textOf(request, *module, function);
}
