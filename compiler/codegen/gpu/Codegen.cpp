#include "compiler/codegen/gpu/Codegen.h"

#include "compiler/codegen/expression/CompileEach.h"
#include "compiler/codegen/gpu/Entry.h"
#include "compiler/codegen/gpu/GpuKernel.h"
#include "compiler/codegen/gpu/Lower.h"
#include "runtime/plan/Target.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"

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

Result<GroupCode> compileGroup(MLIRContext &context, KernelGroup group,
                               const std::vector<std::string> &archs,
                               const GpuOptions &options) {
  Diagnostics diagnostics(&context);
  const auto failed = [&](const std::string &what) {
    return defect(nameOf(group) + " " + what + ": " + diagnostics.text);
  };
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  gpu::GPUModuleOp gpuModule = startModule(b, *module);
  std::vector<EntryPoint> entries;
  for (const KernelRequest &request : group)
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
  Result<std::vector<GroupCode>> groups = compileEach(
      requests, registerGpuDialects,
      [&](MLIRContext &context, KernelGroup group) {
        return compileGroup(context, group, archs, options);
      },
      options.busy);
  if (!groups)
    return groups.takeError();
  std::vector<plan::Launch> launches;
  for (const KernelRequest &request : requests)
    launches.push_back(completeLaunch(
        request.lambda, chooseGpuSchedule(request.lambda, options.processor)));
  std::vector<GpuCode> codes;
  for (size_t a = 0; a < archs.size(); ++a) {
    std::vector<std::string> texts;
    for (GroupCode &group : *groups)
      texts.push_back(std::move(group[a]));
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
