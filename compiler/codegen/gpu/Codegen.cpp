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

std::string bodyOf(const KernelRequest &request) {
  return request.symbol + ".kernel";
}

EntryPoint entryOf(const KernelRequest &request) {
  return {request.symbol, chooseGpuSchedule(request.lambda).threads,
          takesMemory(request.lambda) ? std::vector<bool>()
                                      : mayShareMemory(request.lambda)};
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
  for (const KernelRequest &request : group) {
    func::FuncOp kernel = buildGpuKernel(b, bodyOf(request), request.lambda);
    buildGpuEntry(b, request.symbol, request.lambda, kernel);
    entries.push_back(entryOf(request));
  }
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
  for (const KernelRequest &request : requests) {
    launches.push_back(
        launchOf(chooseGpuSchedule(request.lambda), request.lambda));
    launches.back().inMemory = takesMemory(request.lambda);
  }
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
  func::FuncOp function = buildGpuKernel(b, request.symbol, request.lambda);
  return textOf(request, *module, function);
}
