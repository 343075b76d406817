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

Result<std::string> compileGroup(MLIRContext &context, KernelGroup group,
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
  return compileText(*code, entries, options);
}

} // namespace

Result<GpuCode> codegen::compilePtx(const std::vector<KernelRequest> &requests,
                                    const GpuOptions &options) {
  if (Status valid = checkGpuOptions(options); !valid)
    return valid.takeError();
  if (Status valid = checkRequests(requests, hasCode); !valid)
    return valid.takeError();
  Result<std::vector<std::string>> texts = compileEach(
      requests, registerGpuDialects,
      [&](MLIRContext &context, KernelGroup group) {
        return compileGroup(context, group, options);
      },
      options.busy);
  if (!texts)
    return texts.takeError();
  Result<std::string> ptx = joinTexts(*texts);
  if (!ptx)
    return ptx.takeError();
  GpuCode code{std::move(*ptx), {}};
  for (const KernelRequest &request : requests) {
    code.launches.push_back(
        launchOf(chooseGpuSchedule(request.lambda), request.lambda));
    code.launches.back().inMemory = takesMemory(request.lambda);
  }
  return code;
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
