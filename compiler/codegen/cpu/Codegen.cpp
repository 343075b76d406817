#include "compiler/codegen/cpu/Codegen.h"

#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/cpu/Entry.h"
#include "compiler/codegen/cpu/Lower.h"
#include "compiler/codegen/expression/CompileEach.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

/// Opaque functions are the interpreter's.
static bool isTransparent(const tdl::Lambda &lambda) {
  return lambda.body->kind != tdl::ExprKind::Opaque;
}

Result<std::string> codegen::kernelText(const KernelRequest &request) {
  if (Status valid = checkRequest(request, isTransparent); !valid)
    return valid.takeError();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerDialects(context);
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, "");
  b.setInsertionPointToEnd(module->getBody());
  func::FuncOp function = buildKernel(b, request.symbol, request.lambda);
  return textOf(request, *module, function);
}

namespace {

Result<std::string> compileOne(MLIRContext &context,
                               const KernelRequest &request,
                               const CodegenOptions &options) {
  Diagnostics diagnostics(&context);
  const auto failed = [&](const std::string &what) {
    return defect(nameOf(request) + " " + what + ": " + diagnostics.text);
  };
  LocBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  const std::string name = request.symbol + ".kernel";
  b.setInsertionPointToEnd(module->getBody());
  func::FuncOp kernel = buildKernel(b, name, request.lambda);
  buildEntry(b, request.symbol, request.lambda, kernel);
  if (mlir::failed(verify(*module)))
    return failed("is malformed");
  if (!lowerToLLVM(*module))
    return failed("does not lower to LLVM");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*module, llvmContext, "kernels");
  if (!code)
    return failed("does not become LLVM IR");
  return compileObject(*code, {{name, mayShareMemory(request.lambda)}},
                       options);
}

/// What an object depends on of them.
std::string optionsText(const CodegenOptions &options) {
  return "cpu " + options.cpuArch + " " + std::to_string(options.optLevel);
}

} // namespace

Result<std::string>
codegen::compileKernels(const std::vector<KernelRequest> &requests,
                        const CodegenOptions &options) {
  if (Status valid = checkOptions(options); !valid)
    return valid.takeError();
  if (Status valid = checkRequests(requests, isTransparent); !valid)
    return valid.takeError();

  if (requests.empty())
    return std::string(); // a plan of library kernels alone has no code

  Result<std::vector<KernelCode>> code =
      compileEach(requests, {options.busy, options.cache, optionsText(options)},
                  registerDialects,
                  [&](MLIRContext &context,
                      const KernelRequest &request) -> Result<KernelCode> {
                    auto object = compileOne(context, request, options);
                    if (!object)
                      return object.takeError();
                    return KernelCode{std::move(*object)};
                  });
  if (!code)
    return code.takeError();
  std::vector<std::string> objects;
  for (KernelCode &each : *code)
    objects.push_back(std::move(each.front()));
  return linkShared(objects);
}
